import SwiftBoardBoard
import SwiftBoardDependencies

/// The state of the board's log: levels, numbers, and the last list. Records are only in the
/// actions.
public struct LogState: Codable, Sendable, Equatable {
  /// The most categories whose levels are kept.
  static let known = 100

  /// The number of notes written with `log note`.
  public var notes = 0
  /// The minimum level of categories without their own.
  public var level: LogLevel?
  /// The minimum levels of categories that have their own. It is `nil` in recordings made before
  /// this member existed, in which nothing is known but `notes` and `level`.
  public var levels: [String: LogLevel]? = [:]
  /// The numbers of records that this process has written, by level, as of the end of the last
  /// `log` command.
  public var counts: [String: Int]?
  /// The last list.
  public var query: LogListing?
  /// The running commands that change something, or `nil` in recordings in which they ended when
  /// they were cancelled.
  public var changes: RunningChanges? = []
}

/// A list of records, and how many were shown.
public struct LogListing: Codable, Sendable, Equatable {
  /// The job that lists.
  public var job: Int
  /// The selection.
  public var query: LogQuery
  /// The number of records shown so far.
  public var shown = 0
  /// Whether the list is complete.
  public var isComplete = false
}

extension LogState {
  /// Removes what was typed, and the numbers, which the next command has again. The logger keeps
  /// the levels of categories.
  mutating func forget() {
    (query, counts) = (nil, nil)
    if levels != nil { levels = [:] }
  }

  /// Follows a list.
  mutating func note(shown records: Int, of job: Int, isLast: Bool) {
    guard query?.job == job else { return }
    query?.shown &+= records
    query?.isComplete = isLast
  }

  /// Follows a change of a level.
  mutating func note(_ level: LogLevel, of category: String?) {
    guard let category else {
      self.level = level
      return
    }
    guard let known = levels, known[category] != nil || known.count < Self.known else { return }
    levels?[category] = level
  }
}
