/// The information about a recording in its header.
public struct RecordingInfo: Sendable, Hashable {
  /// Whose actions are recorded; a replay compares it with the program's.
  public var schema: LogSchema
  /// Wall clock, microseconds since 1970.
  public var created: Int64
  /// For example `live`.
  public var environment: String
  /// Information for readers of the log; replays do not depend on it.
  public var locale: String
  /// Information for readers of the log; replays do not depend on it.
  public var timeZone: String
  /// Of the random source, decimal.
  public var seed: String
  /// Paths or types whose values are tokens.
  public var redacted: [String]

  /// The information for the header; `created` is microseconds since 1970.
  public init(
    schema: LogSchema, created: Int64, environment: String, locale: String = "C",
    timeZone: String = "UTC", seed: String, redacted: [String] = []
  ) {
    self.schema = schema
    self.created = created
    self.environment = environment
    self.locale = locale
    self.timeZone = timeZone
    self.seed = seed
    self.redacted = redacted
  }
}

extension RecordingInfo {
  /// What a log says.
  public init(_ header: LogHeader) {
    self.init(
      schema: header.schema, created: header.created, environment: header.environment,
      locale: header.locale, timeZone: header.timeZone, seed: header.seed,
      redacted: header.redacted)
  }
}

/// How a recording is written.
public struct RecordingOptions: Sendable, Hashable {
  /// The faults that a recorded step survives once the reduction has returned.
  public enum Durability: Sendable, Hashable {
    /// Nothing for up to 50 ms: lines are collected and written by a background thread.
    case none
    /// The end of the process, `kill -9` too: one `write` per line.
    case flush
    /// Loss of power: `flush`, and the file is synchronised. About 0.2 ms to 10 ms a step, in the
    /// store's critical section.
    case sync
  }

  /// The faults that a recorded step survives; `flush` by default.
  public var durability: Durability
  /// Each how-many-th step gets a digest of the state, from 1. The digest costs time in proportion
  /// to the state.
  public var digestEvery: Int
  /// Each how-many-th step is followed by the whole state; nil: never.
  public var snapshotEvery: Int?
  /// The store's number of the last step before the recording; the next step has number 1 in the
  /// file.
  public var baseStep: Int
  /// When to continue in another file; nil: never.
  public var rotation: Rotation?

  /// Options with their defaults: every step flushed and with a digest, no snapshots, one file.
  ///
  /// - Parameters:
  ///   - digestEvery: Less than 1 counts as 1.
  ///   - snapshotEvery: Less than 1 counts as 1.
  public init(
    durability: Durability = .flush, digestEvery: Int = 1, snapshotEvery: Int? = nil,
    baseStep: Int = 0, rotation: Rotation? = nil
  ) {
    self.durability = durability
    self.digestEvery = max(1, digestEvery)
    self.snapshotEvery = snapshotEvery.map { max(1, $0) }
    self.baseStep = baseStep
    self.rotation = rotation
  }
}

/// Why a recording ended before it was stopped.
public struct RecordingFailure: Sendable, Hashable, CustomStringConvertible {
  /// The first step, counted in the recording, that is not in the file.
  public let step: Int
  /// The system call that failed; nil if an action or a state could not be encoded.
  public let io: LogIOError?
  /// What went wrong, in a sentence.
  public let reason: String
  /// The file is not under its name any more: what was written is lost, or elsewhere.
  public let isFileLost: Bool

  public var description: String {
    "the recording stopped before step \(step): \(reason)"
      + (isFileLost ? "" : "; what was written before is whole")
  }
}
