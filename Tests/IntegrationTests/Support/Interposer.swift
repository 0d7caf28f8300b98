import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// A library of C that stands between the program and the C library, by `LD_PRELOAD`.
enum Interposer {
  /// The C compiler of the machine, if it has one.
  private static let compiler: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "")
    .split(separator: ":")
    .flatMap { folder in ["clang", "cc", "gcc"].map { "\(folder)/\($0)" } }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Whether the machine can make one and load it.
  static var isAvailable: Bool {
    #if os(Linux)
      compiler != nil
    #else
      false
    #endif
  }

  /// Compiles `source` in the program's folder, and returns the path of the library.
  static func make(_ source: String, for program: Program) async throws -> String {
    try program.folder.write(source, to: "interposer.c")
    let made = try await runProcess(
      try #require(compiler),
      ["-shared", "-fPIC", "-o", "interposer.so", "interposer.c", "-ldl"],
      environment: program.environment(), folder: program.folder.path)
    try #require(made.status == .exited(0), "\(made.errorText)")
    return program.folder.path("interposer.so")
  }
}
