import SwiftBoardJSON

/// The running commands of a feature that may change something, by their jobs.
///
/// Such a command ends itself, also if it is cancelled, once it is known what it has done:
///
/// ```swift
/// public struct TeaState: Codable, Sendable, Equatable {
///   /// The running commands that may change something.
///   public var changes: RunningChanges? = []
/// }
///
/// Feature(
///   name: "tea",
///   endsCancelled: { state, job in state.changes.contains(job) })
/// ```
/// The reducer begins a change with the effects of `change(name:end:job:in:_:_:report:failure:)`,
/// and calls `end(_:)` for the action that ends the command. A state that has `nil` is that of a
/// recording made before: its commands end when they are cancelled.
///
/// The encoding is an array of the jobs. Each operation takes time in their number, which is that
/// of commands at once.
public struct RunningChanges: Sendable, Equatable, ExpressibleByArrayLiteral {
  /// The jobs, in the order in which they began.
  private var jobs: [Int]

  /// Creates a list of jobs.
  public init(arrayLiteral jobs: Int...) { self.jobs = jobs }

  /// Whether no such command runs.
  public var isEmpty: Bool { jobs.isEmpty }

  /// Returns whether the command of a job may change something.
  public func contains(_ job: Int) -> Bool { jobs.contains(job) }

  /// Adds the command of a job, unless it is there.
  public mutating func begin(_ job: Int) {
    if !jobs.contains(job) { jobs.append(job) }
  }

  /// Removes the command of a job, if it is there.
  public mutating func end(_ job: Int) { jobs.removeAll { $0 == job } }

  /// Removes the commands of all other jobs.
  public mutating func keep(_ running: Set<Int>) { jobs.removeAll { !running.contains($0) } }
}

extension RunningChanges: Codable, CanonicalEncodable {
  /// Reads an array of jobs.
  ///
  /// - Throws: A `DecodingError` if it is none.
  public init(from decoder: any Decoder) throws { jobs = try [Int](from: decoder) }

  /// Writes an array of jobs.
  ///
  /// - Throws: The encoder's error.
  public func encode(to encoder: any Encoder) throws { try jobs.encode(to: encoder) }

  /// Writes what `encode(to:)` does.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginArray()
    for job in jobs { writer.int(job) }
    writer.endArray()
  }
}

extension RunningChanges? {
  /// Returns whether the command of a job may change something, and ends itself if it is cancelled.
  public func contains(_ job: Int) -> Bool { self?.contains(job) == true }
}
