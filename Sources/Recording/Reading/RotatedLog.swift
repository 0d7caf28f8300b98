import SwiftBoardJSON
import SwiftBoardSystem

/// The files of a rotated recording, oldest first: one log whose steps are numbered across its
/// files.
///
/// `NAME.1` is the oldest ended file, higher numbers are newer, and `NAME` is the newest. The
/// oldest files may have been removed, but the rest must be without gaps. A recording that was
/// never rotated is a log of one file, regardless of other files in its folder.
///
/// The number of a step is its number in its file plus the number of steps of all earlier files,
/// including removed ones. A log may be read while it is written and rotated: files are found under
/// their current names.
public struct RotatedLog: Sendable {
  /// A file of the recording.
  public struct Segment: Sendable, Hashable {
    /// The path of the file, or an empty string for bytes in memory.
    public let path: String
    /// The k of `NAME.k`. For `NAME`, the number that it will get.
    public let number: Int
    /// The number of steps in the earlier files, including removed ones.
    public let stepsBefore: Int
  }

  /// The files, oldest first; at least one.
  public let segments: [Segment]
  /// For each segment, the file that was found at its path. It is read under its current name.
  public internal(set) var files: [LogFile]
  /// Whether there are ended files, but the newest one, without a number, is missing. The recording
  /// continues after the last step, or a crash occurred during a rotation.
  public let isNewestMissing: Bool
  /// Whether this is a fork, whose first steps are copied from another recording.
  public let isFork: Bool
  private let links: [LogLink?]
  /// The digests of the headers' states, or `nil` if the headers were not read.
  private let digests: [Digest?]
  /// The time from the beginning of the first file to that of each file, in microseconds.
  let times: [Int64]

  /// The step whose state the first file begins with. It is 0 unless older files were removed.
  public var firstStep: Int { segments[0].stepsBefore }

  /// Finds the files and reads their headers.
  ///
  /// For the path of an ended file, `NAME.k`, the log is that single file, and its steps are
  /// numbered from 1. A pipe is read into memory, since it can be read only once.
  ///
  /// - Parameter isCancelled: As for `LogFile`.
  ///
  /// - Complexity: O(number of files · length of a header).
  public init(
    path: String, limits: LogReader.Limits = .init(),
    isCancelled: @escaping @Sendable () -> Bool = { Task.isCancelled }
  ) throws(LogReadError) {
    if FileSource.isReadOnce(path) {
      do throws(LogReadError) {
        self.init(
          LogFile(
            bytes: try FileSource.readAll(path, isCancelled), limits: limits,
            isCancelled: isCancelled),
          path: path)
      } catch {
        throw error.inFile(path)
      }
      return
    }
    // Rotation may rename and remove files during the search. If so, search again.
    for attempt in 1... {
      let listing = Listing(path)
      do throws(LogReadError) {
        let rotatedLog = try RotatedLog(path, listing.numbers, limits, isCancelled)
        if attempt == RotatedLog.attempts || Listing(path) == listing {
          self = rotatedLog
          return
        }
      } catch {
        guard error.isAboutNames, attempt < RotatedLog.attempts, Listing(path) != listing else {
          throw error
        }
      }
    }
    throw .missing(path: path)
  }

  private static let attempts = 5

  private init(
    _ path: String, _ numbers: [Int], _ limits: LogReader.Limits,
    _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(LogReadError) {
    let newest = try RotatedLog.header(path, isCancelled)
    var numbers = numbers
    // A crash may have left the ended file under both of its names.
    let isEnded =
      newest != nil && numbers.last.map { FileID("\(path).\($0)") == FileID(path) } ?? false
    // A file that begins a recording has no earlier files. Numbered files with its name are from
    // another recording.
    let isBeginning = newest.map { LogLink($0.header) == nil } ?? false
    // A copy of the newest file, or of its content at an earlier time, has its header.
    if !isBeginning, !isEnded,
      RotatedLog.isHeader(newest?.header, of: path, numbers.last, isCancelled)
    {
      numbers.removeLast()
    }
    var found: [Found] = []
    if !isBeginning || isEnded {
      let next = newest.flatMap { isEnded ? nil : LogLink($0.header)?.segment }.map { $0 + 1 }
      found = try RotatedLog.endedFiles(path, numbers, next: next, isCancelled)
    }
    if isEnded {
      found[found.count - 1].path = path
    } else if let newest {
      let number = (LogLink(newest.header)?.segment ?? 0) + 1
      found.append(
        Found(path: path, number: number, header: newest.header, identity: newest.identity))
    }
    guard let oldest = found.first else { throw .missing(path: path) }
    isNewestMissing = newest == nil
    let isAlone = found.count == 1 && path.hasSuffix(".\(oldest.number)")
    isFork = oldest.header.extra.contains { $0.key == LogFork.key }
    links = found.map { LogLink($0.header) }
    digests = found.map(\.header.digest)
    times = found.map { $0.header.created - oldest.header.created }
    segments = zip(found, links).map { file, link in
      Segment(path: file.path, number: file.number, stepsBefore: isAlone ? 0 : link?.steps ?? 0)
    }
    let isAmongOthers = isBeginning && !isEnded && !numbers.isEmpty
    files = found.map { file in
      let ended = "\(path).\(file.number)"
      if file.path != path || isAlone || isAmongOthers {
        return LogFile(
          path: file.path, identity: file.identity, later: nil, limits: limits,
          isCancelled: isCancelled)
      }
      return LogFile(
        path: isEnded ? ended : path, identity: file.identity, later: isEnded ? nil : ended,
        limits: limits, isCancelled: isCancelled)
    }
    if oldest.number == 1, let link = links[0] {
      throw .broken(
        path: oldest.path, expected: "the beginning of a recording",
        found: "a file behind number \(link.segment)")
    }
  }

  /// A file of the recording with its header.
  private struct Found {
    var path: String
    let number: Int
    let header: LogHeader
    let identity: LogFileIdentity?
  }

  /// Returns the ended files, which must be without gaps.
  ///
  /// - Parameter next: The number that the newest file will get, if that is known.
  private static func endedFiles(
    _ path: String, _ numbers: [Int], next: Int?, _ isCancelled: () -> Bool
  ) throws(LogReadError) -> [Found] {
    if let last = numbers.last, let next, last >= next {
      throw try surplus(path, last: last, next: next, isCancelled)
    }
    for (number, next) in zip(numbers, numbers.dropFirst() + [next ?? (numbers.last ?? 0) + 1])
    where next != number + 1 {
      throw .gap(path: "\(path).\(number + 1)")
    }
    var files: [Found] = []
    for number in numbers {
      let path = "\(path).\(number)"
      guard let (header, identity) = try Self.header(path, isCancelled) else {
        throw .missing(path: path)
      }
      files.append(Found(path: path, number: number, header: header, identity: identity))
    }
    return files
  }

  /// Creates a log of a single file, with its own step numbers. Opens no file.
  public init(_ file: LogFile) {
    self.init(file, path: file.path ?? "")
  }

  private init(_ file: LogFile, path: String) {
    segments = [Segment(path: path, number: 1, stepsBefore: 0)]
    files = [file]
    isNewestMissing = false
    isFork = false
    links = [nil]
    digests = [nil]
    times = [0]
  }

  /// The files of a recording at one moment.
  public struct Listing: Sendable, Hashable {
    fileprivate let numbers: [Int]
    private let newest: FileID?

    /// Whether there is a file without a number.
    public var hasNewest: Bool { newest != nil }

    /// Lists the files of a recording.
    ///
    /// - Complexity: O(files in the folder).
    public init(_ path: String) {
      numbers = RotatedLog.numbers(beside: path)
      newest = FileID(path)
    }
  }

  /// Returns the numbers of the ended files beside a recording, ascending.
  ///
  /// - Complexity: O(files in the folder).
  public static func numbers(beside path: String) -> [Int] { FileRotation.numbers(of: path) ?? [] }

  /// Returns a file beside `path` that a rotated recording beginning there would meet, if any.
  ///
  /// - Complexity: O(files in the folder).
  package static func obstacle(at path: String) -> String? { FileRotation.obstacle(at: path) }

  var isCancelled: @Sendable () -> Bool { files[0].isCancelled }

  /// Returns the index of the segment that has `step`, or of the first one if no segment has it.
  ///
  /// - Complexity: O(log n).
  package func segment(of step: Int) -> Int {
    max(0, segments.partitioningIndex { $0.stepsBefore >= step } - 1)
  }

  /// Returns the step whose state begins the file that has step `n`.
  ///
  /// - Complexity: O(log n).
  public func stepsBefore(fileOf n: Int) -> Int { segments[segment(of: n)].stepsBefore }

  /// Returns the name of a segment for messages, or `nil` if there is only one segment.
  package func name(of segment: Int) -> String? {
    segments.count > 1 ? segments[segment].path : nil
  }

  /// Checks every file, and that each continues where the previous one ended, without running
  /// anything.
  ///
  /// - Returns: The number of steps, including the steps of removed files, and the warnings about
  ///   the last file.
  ///
  /// - Complexity: O(bytes).
  public func check() throws(LogReadError) -> (steps: Int, warnings: [LogWarning]) {
    var steps = firstStep
    let reader = try RotatedLogReader(self)
    while let entry = try reader.next() {
      if case .step(let step) = entry.line { steps = step.n }
    }
    return (steps, reader.lastWarnings)
  }

  /// Checks that the file after the one at `index` continues from the given end.
  func join(
    _ index: Int, steps: Int, sum: Digest?, digest: Digest?
  ) throws(LogReadError) {
    guard index + 1 < segments.count else { return }
    let path = segments[index + 1].path
    func broken(_ expected: String, _ found: String) -> LogReadError {
      .broken(path: path, expected: expected, found: found)
    }
    guard let link = links[index + 1] else {
      throw broken("a file behind number \(segments[index].number)", "a beginning")
    }
    guard link.segment == segments[index].number else {
      throw broken(
        "a file behind number \(segments[index].number)", "one behind number \(link.segment)")
    }
    guard link.sum == sum else {
      throw broken(
        "the sum \(sum?.description ?? "of a header") of the last line", "\(link.sum)")
    }
    guard link.steps == steps else {
      throw broken("\(steps) step\(steps == 1 ? "" : "s") before it", "\(link.steps)")
    }
    guard let digest, digests[index + 1] == digest else {
      throw broken(
        "the state \(digest?.description ?? "without a digest")",
        "\(digests[index + 1]?.description ?? "none")")
    }
  }

  /// Returns the error of a recording whose newest file continues an ended file that is not the
  /// last one: either the last one, such as a copy, or the newest one is not in its place.
  private static func surplus(
    _ path: String, last: Int, next: Int, _ isCancelled: () -> Bool
  ) throws(LogReadError) -> LogReadError {
    let name = "\(path).\(last)"
    let before = try header(name, isCancelled).flatMap { LogLink($0.header)?.segment } ?? 0
    return before == last - 1
      ? .broken(
        path: path, expected: "a file behind number \(last)", found: "one behind number \(next - 1)"
      )
      : .broken(
        path: name, expected: "a file behind number \(last - 1)",
        found: before == 0 ? "a beginning" : "one behind number \(before)")
  }

  /// Returns whether the file with a number begins with the same header.
  private static func isHeader(
    _ header: LogHeader?, of path: String, _ number: Int?, _ isCancelled: () -> Bool
  ) -> Bool {
    guard let header, let number else { return false }
    return (try? RotatedLog.header("\(path).\(number)", isCancelled))?.header == header
  }

  private static func header(
    _ path: String, _ isCancelled: () -> Bool
  ) throws(LogReadError) -> (header: LogHeader, identity: LogFileIdentity?)? {
    if isCancelled() { throw .cancelled }
    do throws(LogReadError) {
      let source = try FileSource(segment: path)
      let reader = LogReader(source)
      let header = try reader.header()
      return (header, source.identity(readBy: reader))
    } catch {
      if case .missing = error { return nil }
      throw error.inFile(path)
    }
  }
}
