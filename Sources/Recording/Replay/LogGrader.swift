import SwiftBoardJSON

/// Decodes the lines of a log with the program's types. Applies migrations, and notes values that
/// do not encode to the same JSON again.
struct LogGrader<State: Codable, Action: Codable> {
  private static var namedRisks: Int { 20 }
  private static var changesPerLine: Int { 10 }

  private let migrations: [LogMigration]
  private let userInfo: [CodingUserInfoKey: any Sendable]
  private var risks: [LogRisk] = []
  private var more = 0
  /// A buffer, reused for every line.
  private var encoded: [UInt8] = []
  /// Whether the header's state encodes to the same bytes, so that the log's digests can be
  /// compared with those of this program's states.
  private(set) var startsEqual = true
  /// The first step after which this program's state is another than the recorded one.
  private var firstChangedStep: Int?

  /// Creates a grader with the `migrations` from the log's versions to the program's versions.
  init(
    from log: LogSchema, to program: LogSchema, migrations: [LogMigration],
    userInfo: [CodingUserInfoKey: any Sendable]
  ) {
    self.userInfo = userInfo
    self.migrations =
      migrations.enumerated()
      .filter { _, migration in
        (log.version(
          of: migration.part)..<max(
            log.version(of: migration.part), program.version(of: migration.part)))
          .contains(migration.from)
      }
      .sorted { left, right in
        (left.element.part == nil ? 0 : 1, left.element.from, left.offset)
          < (right.element.part == nil ? 0 : 1, right.element.from, right.offset)
      }
      .map(\.element)
  }

  var grade: LogGrade {
    risks.isEmpty ? .fine : .risky(risks, more: more)
  }

  /// Whether all digests of the log can be compared with those of this program's states.
  var digestsComparable: Bool { startsEqual && firstChangedStep == nil }

  /// Returns whether the digest after a step can be compared.
  func comparesDigest(ofStep step: Int) -> Bool {
    startsEqual && firstChangedStep.map { step < $0 } ?? true
  }

  mutating func grade(_ header: LogHeader, _ entry: LogReader.Entry) throws(ReplayError) {
    let decoded = try state(header.state, entry, step: 0)
    guard let encoded = try? CanonicalEncoder.encode(decoded.value) else {
      throw obstacle("it has no canonical form", header.state, entry, 0)
    }
    startsEqual = Digest(of: encoded) == header.digest
    if migrations.isEmpty, startsEqual { return }
    note(encoded, decoded.migrated, entry, step: 0)
  }

  mutating func grade(_ step: LogStep, _ entry: LogReader.Entry) throws(ReplayError) {
    let action = try action(step, entry)
    encoded.removeAll(keepingCapacity: true)
    guard (try? CanonicalEncoder.encode(action, into: &encoded)) != nil else {
      throw obstacle("it has no canonical form", step.action, entry, step.n)
    }
    // The bytes are nearly always the same and need no parsing.
    if migrations.isEmpty, encoded == step.actionBytes { return }
    if firstChangedStep == nil, try changesState(step, entry) { firstChangedStep = step.n }
    note(encoded, try migrated(step.action, \.action, entry, step.n), entry, step: step.n)
  }

  func state(
    _ json: JSON, _ entry: LogReader.Entry, step: Int
  ) throws(ReplayError) -> (value: State, migrated: JSON) {
    let migrated = try migrated(json, \.state, entry, step)
    return (try decode(migrated, entry, step), migrated)
  }

  func action(_ step: LogStep, _ entry: LogReader.Entry) throws(ReplayError) -> Action {
    guard migrations.isEmpty else {
      return try decode(try migrated(step.action, \.action, entry, step.n), entry, step.n)
    }
    do {
      return try CanonicalDecoder.decode(Action.self, from: step.actionBytes, userInfo: userInfo)
    } catch {
      throw obstacle(codingReason(error), step.action, entry, step.n)
    }
  }

  /// Returns the effects of a step, as the program returns them now.
  func effects(
    _ step: LogStep, _ entry: LogReader.Entry
  ) throws(ReplayError) -> [LogEffect] {
    guard !migrations.isEmpty else { return step.effects }
    var (action, effects) = (step.action, step.effects)
    for migration in migrations {
      action = try migrated(action, by: [migration], \.action, entry, step.n)
      effects = migration.effects(action, effects)
    }
    return effects
  }

  /// Returns the action of a step as canonical JSON and its effects, as the program has them now.
  func migrated(
    _ step: LogStep, _ entry: LogReader.Entry
  ) throws(ReplayError) -> (action: [UInt8], effects: [LogEffect]) {
    guard !migrations.isEmpty else { return (step.actionBytes, step.effects) }
    let action = try migrated(step.action, \.action, entry, step.n)
    return (canonical(action), try effects(step, entry))
  }

  private func changesState(
    _ step: LogStep, _ entry: LogReader.Entry
  ) throws(ReplayError) -> Bool {
    var action = step.action
    for migration in migrations {
      if migration.changesState(action) { return true }
      action = try migrated(action, by: [migration], \.action, entry, step.n)
    }
    return false
  }

  private func decode<Value: Decodable>(
    _ json: JSON, _ entry: LogReader.Entry, _ step: Int
  ) throws(ReplayError) -> Value {
    do {
      return try CanonicalDecoder.decode(Value.self, from: json, userInfo: userInfo)
    } catch {
      throw obstacle(codingReason(error), json, entry, step)
    }
  }

  private func migrated(
    _ json: JSON, by migrations: [LogMigration]? = nil,
    _ migration: KeyPath<LogMigration, @Sendable (JSON) throws -> JSON>,
    _ entry: LogReader.Entry, _ step: Int
  ) throws(ReplayError) -> JSON {
    var migrated = json
    do {
      for step in migrations ?? self.migrations {
        migrated = try step[keyPath: migration](migrated)
      }
    } catch {
      throw obstacle("its migration failed: \(error)", migrated, entry, step)
    }
    return migrated
  }

  private func obstacle(
    _ reason: String, _ found: JSON, _ entry: LogReader.Entry, _ step: Int
  ) -> ReplayError {
    .impossible(
      LogDecodingFailure(
        line: entry.number, offset: entry.offset, step: step, reason: reason, found: found))
  }

  private mutating func note(
    _ encoded: [UInt8], _ logged: JSON, _ entry: LogReader.Entry, step: Int
  ) {
    guard plain(logged) != encoded else { return }
    // Compare canonical forms, in which 1.0 and 1 are equal.
    let before = canonical(logged)
    let after = (try? JSON(parsing: encoded)).map(canonical) ?? encoded
    guard before != after else { return }
    guard risks.count < Self.namedRisks else {
      more += 1
      return
    }
    let changes = StateDiff.changedPaths(
      (try? JSON(parsing: before)) ?? logged, (try? JSON(parsing: after)) ?? .null,
      limit: Self.changesPerLine)
    risks.append(LogRisk(line: entry.number, step: step, changes: changes))
  }
}
