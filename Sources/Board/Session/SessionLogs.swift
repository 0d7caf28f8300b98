import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording

/// The files of rotated recordings, grouped for commands that read each file separately.
enum SessionLogs {
  /// The files to read, and the problems of the recordings that they belong to.
  struct Found: Sendable {
    /// The paths without duplicates.
    fileprivate(set) var paths: [String] = []
    // Paths are compared by their bytes, as the file system does.
    /// The files found at the paths, under the names that they had when they were listed.
    fileprivate(set) var files: [ByteText: LogFile] = [:]
    /// The errors of files whose position among the others is wrong, by path.
    fileprivate(set) var failures: [ByteText: ReplayError] = [:]
    /// The warnings, by path.
    fileprivate(set) var warnings: [ByteText: [String]] = [:]
    /// The file listings, by recording.
    fileprivate var listings: [ByteText: RotatedLog.Listing] = [:]

    /// Whether files of these recordings have been ended or removed since they were listed.
    var isOutdated: Bool { listings.contains { RotatedLog.Listing($0.key.rawValue) != $0.value } }

    fileprivate mutating func add(_ path: String, _ file: LogFile) {
      guard files[ByteText(path)] == nil else { return }
      paths.append(path)
      files[ByteText(path)] = file
    }
  }

  /// The number of attempts to list a recording whose old files are being removed.
  static let attempts = 5

  /// Returns the files of all recordings, each once, and reports those that do not continue their
  /// predecessor.
  ///
  /// All existing files of a rotated recording are included. This reads the files and blocks. The
  /// check of a file reports what is wrong inside it.
  static func files(
    of paths: [String], isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Found {
    for _ in 1..<attempts {
      let (found, lacksFiles) = try look(for: paths, isCancelled)
      guard lacksFiles, found.isOutdated else { return found }
    }
    return try look(for: paths, isCancelled).found
  }

  private static func look(
    for paths: [String], _ isCancelled: @escaping @Sendable () -> Bool
  ) throws -> (found: Found, lacksFiles: Bool) {
    var found = Found()
    var lacksFiles = false
    for path in paths {
      found.listings[ByteText(path)] = RotatedLog.Listing(path)
      do throws(LogReadError) {
        let rotatedLog = try RotatedLog(path: path, isCancelled: isCancelled)
        for (segment, file) in zip(rotatedLog.segments, rotatedLog.files) {
          found.add(segment.path, file)
        }
        for oddity in rotatedLog.oddities(path) {
          found.warnings[ByteText(oddity.path), default: []].append(oddity.text)
        }
        if rotatedLog.segments.count > 1 { _ = try rotatedLog.check() }
      } catch {
        if isCancelled() { throw CancellationError() }
        lacksFiles = lacksFiles || error.isAboutNames
        note(error, of: path, in: &found, isCancelled)
      }
    }
    return (found, lacksFiles)
  }

  /// Records the readable files of a set that does not form one recording.
  private static func note(
    _ error: LogReadError, of path: String, in found: inout Found,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) {
    let missing: String? = if case .gap(let path) = error { path } else { nil }
    var files = RotatedLog.numbers(beside: path).map { "\(path).\($0)" }
    if files.isEmpty || RotatedLog.Listing(path).hasNewest { files.append(path) }
    for file in files {
      if let missing, !found.paths.contains(where: { $0.hasSameBytes(as: missing) }),
        file.isBehind(missing, of: path)
      {
        found.paths.append(missing)
      }
      found.add(file, LogFile(path: file, isCancelled: isCancelled))
    }
    switch error {
    case .gap(let path), .broken(let path, _, _):
      found.failures[ByteText(path)] = .unreadable(error)
    case .damage, .missing, .changed, .io, .file, .cancelled: break
    }
  }
}

extension String {
  /// Returns whether this file of a recording follows the file `other`.
  fileprivate func isBehind(_ other: String, of recording: String) -> Bool {
    func number(_ path: String) -> Int { Int(path.dropFirst(recording.count + 1)) ?? .max }
    return number(self) > number(other)
  }
}

extension RotatedLog {
  /// Opens the recording at `path`. An error of the file at `path` itself does not repeat the name.
  init(
    opening path: String, isCancelled: @escaping @Sendable () -> Bool
  ) throws(LogReadError) {
    do throws(LogReadError) {
      try self.init(path: path, isCancelled: isCancelled)
    } catch {
      switch error {
      case .missing: throw .missing(path: path)
      case .file(path, let reason): throw reason
      default: throw error
      }
    }
  }

  /// Returns what is unusual about an incomplete recording, with the file that it concerns.
  func oddities(_ path: String) -> [(path: String, text: String)] {
    var oddities: [(path: String, text: String)] = []
    if firstStep > 0, let first = segments.first {
      oddities.append(
        (
          first.path,
          isFork
            ? "the fork begins behind step \(firstStep) of the recording it is of"
            : "the recording's first \(Counted.text(firstStep, "step")) \(firstStep == 1 ? "was" : "were") removed; it begins with step \(firstStep + 1)"
        ))
    }
    if isNewestMissing, let last = segments.last {
      oddities.append(
        (
          last.path,
          "\(path) is missing; only the files before it were read"
        ))
    }
    return oddities
  }
}
