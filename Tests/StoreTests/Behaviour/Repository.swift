import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The files of the repository that these tests were built from.
enum Repository {
  static let root =
    #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(4).joined(separator: "/")

  /// The text of a file. A file that cannot be read fails the test.
  ///
  /// - Parameter path: From the root, without a leading slash.
  static func text(_ path: String) throws -> String {
    let data = try #require(FileManager.default.contents(atPath: "\(root)/\(path)"), "\(path)")
    return String(decoding: data, as: UTF8.self)
  }

  /// The Swift files in a folder, at every depth, from the root. The path of a file gives that
  /// file.
  static func swiftFiles(in path: String) throws -> [String] {
    if path.hasSuffix(".swift") { return [path] }
    return try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(path)")
      .filter { $0.hasSuffix(".swift") }.map { "\(path)/\($0)" }
  }

  /// The last part of a Swift file's path, without its extension.
  static func name(of file: String) -> String {
    String(file.split(separator: "/").last?.dropLast(".swift".count) ?? "")
  }
}

extension StringProtocol {
  /// Without the spaces at both ends.
  var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// What stands between pairs of backticks.
  var codeSpans: [String] {
    split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { String($0.element) }
  }
}
