import SwiftBoardSystem

/// The files of the repository that these tests were built from.
public enum SourceTree {
  public static let root =
    #filePath.split(separator: "/", omittingEmptySubsequences: false)
    .dropLast(3).joined(separator: "/")

  /// The text of a file. Throws if the file cannot be read.
  ///
  /// - Parameter path: From the root, without a leading slash.
  public static func text(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: "\(root)/\(path)") else {
      throw SystemFailure("read \(path)")
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// The Swift files in a folder, at every depth, from the root. The path of a file gives that
  /// file.
  public static func swiftFiles(in path: String) throws -> [String] {
    if path.hasSuffix(".swift") { return [path] }
    return try FileManager.default.subpathsOfDirectory(atPath: "\(root)/\(path)")
      .filter { $0.hasSuffix(".swift") }.map { "\(path)/\($0)" }
  }

  /// The last part of a Swift file's path, without its extension.
  public static func name(of file: String) -> String {
    String(file.split(separator: "/").last?.dropLast(".swift".count) ?? "")
  }
}
