import SwiftBoardJSON
import SwiftBoardStore

/// Why files of a rotated recording are not one recording.
public enum LogChainError: Error, Sendable, CustomStringConvertible {
  /// There is no file of that name, and none with a number.
  case missing(path: String)
  /// A file between two others is not there.
  case gap(path: String)
  /// A file does not go on where the one before it ended.
  case broken(path: String, expected: String, found: String)
  /// A file is no log, or a damaged one.
  case unreadable(path: String, LogReadError)
  /// A file does not replay.
  case replay(path: String, ReplayError)

  /// The exit status of a command that ends with this.
  public var exitCode: Int32 {
    switch self {
    case .missing: 66
    case .gap, .broken: 65
    case .unreadable(_, let error): error.exitCode
    case .replay(_, let error): error.exitCode
    }
  }

  public var description: String {
    switch self {
    case .missing(let path): "there is no recording \(path)"
    case .gap(let path): "\(path) is missing: the files before and after it are there"
    case .broken(let path, let expected, let found):
      "\(path) does not go on where the file before it ends (expected \(expected), found \(found))"
    case .unreadable(let path, let error): "\(path): \(error)"
    case .replay(let path, let error): "\(path): \(error)"
    }
  }
}

/// The files of a recording that was rotated, oldest first.
///
/// `NAME.1` is the oldest file that was ended, higher numbers are newer, and `NAME` is the newest. The oldest may have been removed;
/// what is left must be without gaps. A recording that was never rotated is a chain of one.
public struct LogChain: Sendable {
  /// One file.
  public struct Part: Sendable, Hashable {
    /// Where it is.
    public let path: String
    /// The k of `NAME.k`; of `NAME`, the number it will get.
    public let number: Int
    /// Steps in the files before, those that were removed too.
    public let stepsBefore: Int
  }

  /// Oldest first.
  public let parts: [Part]
  private let links: [LogLink?]
  private let digests: [Digest]

  /// Finds the files and reads their headers. O(number of files · length of a header).
  public init(path: String) throws(LogChainError) {
    var paths = (FileName.numbers(of: path) ?? []).map { (path: "\(path).\($0)", number: $0) }
    let highest = paths.last?.number ?? 0
    var headers: [LogHeader] = []
    for (path, _) in paths {
      guard let header = try LogChain.header(path) else { throw .missing(path: path) }
      headers.append(header)
    }
    if let header = try LogChain.header(path) {
      // A crash may have left the ended file under both of its names.
      if let last = headers.last, last == header {
        paths[paths.count - 1].path = path
      } else {
        paths.append((path, (LogLink(header)?.part ?? highest) + 1))
        headers.append(header)
      }
    }
    guard !paths.isEmpty else { throw .missing(path: path) }
    for (part, next) in zip(paths, paths.dropFirst()) where next.number != part.number + 1 {
      throw .gap(path: "\(path).\(part.number + 1)")
    }
    links = headers.map { LogLink($0) }
    digests = headers.map(\.digest)
    parts = zip(paths, links).map { place, link in
      Part(path: place.path, number: place.number, stepsBefore: link?.steps ?? 0)
    }
    if paths[0].number == 1, let link = links[0] {
      throw .broken(
        path: paths[0].path, expected: "the beginning of a recording",
        found: "a file behind number \(link.part)")
    }
  }

  /// Checks every file, and that each goes on where the one before it ended, without running anything. O(bytes).
  ///
  /// - Returns: The number of steps, those of removed files too, and what is odd about the last file.
  public func check() throws(LogChainError) -> (steps: Int, warnings: [LogWarning]) {
    var (steps, warnings): (Int, [LogWarning]) = (0, [])
    for index in parts.indices {
      let part = parts[index]
      let reader: LogReader
      var digest: Digest? = digests[index]
      do throws(LogReadError) {
        reader = try LogReader(path: part.path)
        while let entry = try reader.next() {
          if case .step(let step) = entry.line { digest = step.digest }
        }
      } catch {
        throw .unreadable(path: part.path, error)
      }
      steps = part.stepsBefore + reader.position.step
      warnings = reader.warnings
      try join(index, steps: steps, sum: reader.position.sum, digest: digest)
    }
    return (steps, warnings)
  }

  /// Checks that the file behind the one at `index`, which ends like this, goes on there.
  func join(
    _ index: Int, steps: Int, sum: Digest?, digest: Digest?
  ) throws(LogChainError) {
    guard index + 1 < parts.count else { return }
    let path = parts[index + 1].path
    guard let link = links[index + 1] else {
      throw .broken(
        path: path, expected: "a file behind number \(parts[index].number)", found: "a beginning")
    }
    guard link.part == parts[index].number else {
      throw .broken(
        path: path, expected: "a file behind number \(parts[index].number)",
        found: "one behind number \(link.part)")
    }
    guard link.sum == sum else {
      throw .broken(
        path: path, expected: "the sum \(sum?.description ?? "of a header") of the last line",
        found: "\(link.sum)")
    }
    guard link.steps == steps else {
      throw .broken(path: path, expected: "\(steps) steps before it", found: "\(link.steps)")
    }
    guard digests[index + 1] == digest else {
      throw .broken(
        path: path, expected: "the state \(digest?.description ?? "without a digest")",
        found: "\(digests[index + 1])")
    }
  }

  private static func header(_ path: String) throws(LogChainError) -> LogHeader? {
    do throws(LogReadError) {
      return try LogReader(path: path).header()
    } catch {
      if case .missing = error { return nil }
      throw .unreadable(path: path, error)
    }
  }
}

extension Replayer {
  /// Verifies the files of a rotated recording, each from its own header, and that they are one recording.
  ///
  /// - Returns: A summary for each file, oldest first.
  public func verify(
    _ chain: LogChain, acceptRisk: Bool = false
  ) throws(LogChainError) -> [ReplaySummary] {
    _ = try chain.check()
    var summaries: [ReplaySummary] = []
    for part in chain.parts {
      do throws(ReplayError) {
        summaries.append(try verify(path: part.path, acceptRisk: acceptRisk))
      } catch {
        throw .replay(path: part.path, error)
      }
    }
    return summaries
  }
}
