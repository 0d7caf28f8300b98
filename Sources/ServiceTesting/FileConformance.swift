import SwiftBoardDependencies

/// The rules of `FileService`, as checks of an implementation.
///
/// ```swift
/// let checks = FileConformance { FileConformance.Subject(MockFileService(), folder: "f") }.checks
/// ```
public struct FileConformance: Sendable {
  /// A service and a folder without files.
  public struct Subject: Sendable {
    /// The service.
    public var service: any FileService
    /// The folder in which files can be created, without a slash at the end.
    public var folder: String
    let kept: (any Sendable)?

    /// Creates a subject for one check.
    ///
    /// - Parameter kept: A value to keep as long as the service is used, for example a temporary
    ///   folder that is removed with its last reference.
    public init(_ service: any FileService, folder: String, keeping kept: (any Sendable)? = nil) {
      self.service = service
      self.folder = folder
      self.kept = kept
    }
  }

  private let make: @Sendable () async throws -> Subject

  private static let bytes = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0) })

  /// Creates a suite. `make` returns a new service with a new folder for each call.
  public init(_ make: @escaping @Sendable () async throws -> Subject) { self.make = make }

  /// The checks of all rules: whole files, modes of writing, limits, and files that are read or
  /// written in pieces.
  public var checks: [ConformanceCheck] { wholeFileChecks + pieceChecks }

  /// Whole files, modes of writing, and limits.
  private var wholeFileChecks: [ConformanceCheck] {
    [
      check("what is written is read, byte for byte") { files, path in
        try await files.write(Self.bytes, to: path, mode: .replace)
        try await equal(files.read(path, limit: Self.bytes.count), Self.bytes)
        try await files.write(Data(), to: path, mode: .replace)
        try await equal(files.read(path, limit: 0), Data())
      },
      check("an absolute path refers to the same file") { files, path in
        try await files.write(Self.bytes, to: path, mode: .replace)
        let absolute = files.absolutePath(path)
        try await equal(files.read(absolute, limit: Self.bytes.count), Self.bytes)
        try equal(files.absolutePath(absolute), absolute)
      },
      check("a file that is not there is missing") { files, path in
        let error = await failure(FileError.self) { try await files.read(path, limit: 10) }
        try equal(error?.kind, .missing)
        try equal(error?.path, path)
        let input = await failure(FileError.self) { try await files.input(path) }
        try equal(input?.kind, .missing)
      },
      check("more bytes than the limit are refused") { files, path in
        try await files.write(Self.bytes, to: path, mode: .replace)
        let error = await failure(FileError.self) {
          try await files.read(path, limit: Self.bytes.count - 1)
        }
        try equal(error?.kind, .tooLarge)
      },
      check("appending keeps what is there, and creating leaves it") { files, path in
        try await files.write(Data("a".utf8), to: path, mode: .create)
        try await files.write(Data("b".utf8), to: path, mode: .append)
        let error = await failure(FileError.self) {
          try await files.write(Data("c".utf8), to: path, mode: .create)
        }
        try equal(error?.kind, .exists)
        try await equal(files.read(path, limit: 10), Data("ab".utf8))
        try await files.write(Data("d".utf8), to: path + "2", mode: .append)
        try await equal(files.read(path + "2", limit: 10), Data("d".utf8))
      },
    ]
  }

  /// Files that are read or written in pieces.
  private var pieceChecks: [ConformanceCheck] {
    [
      check("the pieces of a file are the file") { files, path in
        try await files.write(Self.bytes, to: path, mode: .replace)
        let input = try await files.input(path)
        try equal(input.size, Int64(Self.bytes.count))
        var read = Data()
        while let piece = try await input.next() { read += piece }
        try equal(read, Self.bytes)
      },
      check("a file that is written in pieces is there when it is whole") { files, path in
        try await files.write(Data("before".utf8), to: path, mode: .replace)
        let output = try await files.output(path, continues: false)
        try equal(output.kept, nil)
        try await output.begin(afterKept: false, tag: nil)
        for start in stride(from: 0, to: Self.bytes.count, by: 10_000) {
          try await output.write(Data(Self.bytes[start..<start + 10_000]))
        }
        try await equal(files.read(path, limit: 10), Data("before".utf8))
        try await output.finish()
        try await equal(files.read(path, limit: Self.bytes.count), Self.bytes)
      },
      check("a new file replaces none") { files, path in
        let output = try await files.newFile(path)
        try await output.begin(afterKept: false, tag: nil)
        try await output.write(Self.bytes)
        try await output.finish()
        try await equal(files.read(path, limit: Self.bytes.count), Self.bytes)
        let error = await failure(FileError.self) {
          let second = try await files.newFile(path)
          try await second.begin(afterKept: false, tag: nil)
          try await second.write(Data("other".utf8))
          try await second.finish()
        }
        try equal(error?.kind, .exists)
        try await equal(files.read(path, limit: Self.bytes.count), Self.bytes)
      },
      check("a file that is given up leaves what was there") { files, path in
        try await files.write(Data("before".utf8), to: path, mode: .replace)
        let output = try await files.output(path, continues: false)
        try await output.begin(afterKept: false, tag: nil)
        try await output.write(Self.bytes)
        await output.discard()
        try await equal(files.read(path, limit: 10), Data("before".utf8))
      },
    ]
  }

  private func check(
    _ rule: String,
    _ body: @escaping @Sendable (_ files: any FileService, _ path: String) async throws -> Void
  ) -> ConformanceCheck {
    ConformanceCheck("FileService", rule) {
      let subject = try await make()
      try await body(subject.service, subject.folder + "/file")
      withExtendedLifetime(subject) {}
    }
  }
}
