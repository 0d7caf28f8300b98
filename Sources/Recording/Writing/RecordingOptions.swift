/// The information about a recording that its header has.
public struct RecordingInfo: Sendable, Hashable {
  /// The schema of the recorded actions. A replay compares it with the program's schema.
  public var schema: LogSchema
  /// The wall clock time of the beginning, in microseconds since 1970.
  public var created: Int64
  /// The environment of the recording, for example `live`.
  public var environment: String
  /// The locale of the recording, for readers of the log. Replays do not depend on it.
  public var locale: String
  /// The time zone of the recording, for readers of the log. Replays do not depend on it.
  public var timeZone: String
  /// The seed of the random source.
  public var seed: UInt64
  /// The paths or types whose values the program replaces by tokens before they enter an action or
  /// a state: a note for readers of the log, which is the header's member `redacted`. The recorder
  /// replaces nothing, and writes every value as it is.
  public var declaredRedactions: [String]

  /// Creates the information for the header.
  public init(
    schema: LogSchema, created: Int64, environment: String, locale: String = "C",
    timeZone: String = "UTC", seed: UInt64,
    declaredRedactions: [String] = []
  ) {
    self.schema = schema
    self.created = created
    self.environment = environment
    self.locale = locale
    self.timeZone = timeZone
    self.seed = seed
    self.declaredRedactions = declaredRedactions
  }
}

extension RecordingInfo {
  /// Creates the information of an existing header.
  public init(_ header: LogHeader) {
    self.init(
      schema: header.schema, created: header.created, environment: header.environment,
      locale: header.locale, timeZone: header.timeZone, seed: header.seed,
      declaredRedactions: header.redacted)
  }
}

/// Options for writing a recording.
public struct RecordingOptions: Sendable, Hashable {
  /// The faults that a recorded step survives once the reduction has returned.
  public enum Durability: String, Codable, Sendable, Hashable, CaseIterable {
    /// None for up to 50 ms: lines are buffered and written by a background thread.
    case none
    /// The end of the process, including `kill -9`: one `write` per line.
    case flush
    /// A power failure: as `flush`, and the file is synchronized. Takes about 0.2 ms to 10 ms per
    /// step, in the store's critical section.
    case sync
  }

  /// The faults that a recorded step survives; `flush` by default.
  public var durability: Durability
  /// The interval of steps with a digest of the state, at least 1. A digest takes time in
  /// proportion to the state.
  public var digestEvery: Int {
    didSet { digestEvery = max(1, digestEvery) }
  }
  /// The interval of steps after which the whole state is written, or `nil` for no snapshots;
  /// at least 1.
  public var snapshotEvery: Int? {
    didSet { snapshotEvery = snapshotEvery.map { max(1, $0) } }
  }
  /// The store's number of the last step before the recording. The next step has number 1 in the
  /// file. A recording ends at a step that does not follow. `Store.record` sets this itself.
  public var baseStep: Int
  /// The rotation of files, or `nil` for a single file.
  public var rotation: Rotation?

  /// Creates options. By default, every step is flushed and has a digest, and there are no
  /// snapshots and only one file.
  ///
  /// - Parameters:
  ///   - digestEvery: The interval of digests. A value below 1 counts as 1.
  ///   - snapshotEvery: The interval of snapshots. A value below 1 counts as 1.
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

/// A failure that ended a recording before it was stopped.
public struct RecordingFailure: Sendable, Hashable, CustomStringConvertible {
  /// The first step, counted in the recording, that is not in the file.
  public let step: Int
  /// The error of the file, or `nil` if an action or a state could not be encoded.
  public let io: LogIOError?
  /// A sentence that describes the failure.
  public let reason: String
  /// Whether the file is no longer at its path, or another program has changed it, so that written
  /// lines may be lost or elsewhere.
  public let isFileLost: Bool

  /// The step and the reason, and whether the written lines are intact.
  public var description: String {
    "the recording stopped before step \(step): \(reason)"
      + (isFileLost ? "" : "; what was written before is whole")
  }
}
