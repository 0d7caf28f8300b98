import SwiftBoardDependencies

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Files in memory, one task at a time.
actor Boxes: FileService {
  private var boxes: [String: Data] = [:]
  private let ignoresLimits: Bool

  /// - Parameter ignoresLimits: A mistake, for showing what a check says of it.
  init(ignoresLimits: Bool = false) { self.ignoresLimits = ignoresLimits }

  func read(_ path: String, limit: Int) async throws(FileError) -> Data {
    guard let data = boxes[path] else {
      throw FileError(.missing, path: path, message: "there is no box \(path)")
    }
    guard ignoresLimits || data.count <= limit else {
      throw FileError(.tooLarge, path: path, message: "\(path) has more than \(limit) bytes")
    }
    return data
  }

  func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {
    switch mode {
    case .replace: boxes[path] = data
    case .append: boxes[path, default: Data()] += data
    case .create:
      guard boxes[path] == nil else {
        throw FileError(.exists, path: path, message: "\(path) exists already")
      }
      boxes[path] = data
    }
  }
}
