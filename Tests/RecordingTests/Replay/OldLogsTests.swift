import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore
import Testing

/// Recordings of two older versions of a program, kept as files, and the program as it is now.
///
/// Version 1: `{"pay":{"amount":CENTS,"note":TEXT}}`, state `{"cents":…}`.
/// Version 2: `{"pay":{"amount":{"cents":…,"currency":…}}}`, the note went; state `{"cents":…}`.
/// Version 3, the one below: `pay` is `deposit`, and the state counts deposits.
struct OldLogsTests {
  struct Money: Codable, Sendable {
    var cents: Int
    var currency: String
  }

  struct State: Codable, Sendable {
    var cents = 0
    var deposits = 0

    init() {}
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      cents = try container.decode(Int.self, forKey: .cents)
      deposits = try container.decodeIfPresent(Int.self, forKey: .deposits) ?? 0
    }
  }

  enum Action: Codable, Sendable {
    case deposit(amount: Money)
    case close
  }

  struct Ledger: Reducer {
    func reduce(_ state: inout State, _ action: Action, _: DrawJournal) -> [Effect<Action>] {
      guard case .deposit(let amount) = action else { return [] }
      state.cents += amount.cents
      state.deposits += 1
      return []
    }
  }

  private static let migrations = [
    LogMigration(
      from: 1,
      action: { action in
        guard let cents = action["pay"]?["amount"] else { return action }
        return ["pay": ["amount": ["cents": cents, "currency": "EUR"]]]
      }),
    LogMigration(
      from: 2,
      action: { action in
        guard let payment = action["pay"] else { return action }
        return ["deposit": payment]
      }),
  ]
  /// The same, in place. `close` has no payment, and stays as it is.
  private static let editing = [
    LogMigration(
      from: 1,
      editAction: { action in
        action["pay"]["note"] = nil
        try action.rename("amount", to: "cents", at: "pay")
        guard let cents = action["pay"]["cents"] else { return }
        action["pay"] = ["amount": ["cents": cents, "currency": "EUR"]]
      }),
    LogMigration(
      from: 2, editAction: { $0.rename("pay", to: "deposit") }, editState: { $0["deposits"] = 0 }),
  ]
  /// The state has no deposits before version 3. A program may choose to fill them in, so that
  /// nothing is left to a default.
  private static let filling = LogMigration(
    from: 2, action: { $0 },
    state: { state in
      guard case .object(let members) = state else { return state }
      return .object(members + [JSON.Member("deposits", 0)])
    })

  private func replay(
    _ name: String, _ migrations: [LogMigration], acceptRisk: Bool = false
  ) throws(ReplayError) -> (summary: ReplaySummary, cents: Int) {
    let journal = DrawJournal()
    let replayer = Replayer(
      reducer: Ledger(), dependencies: journal, journal: journal,
      schema: LogSchema(program: "ledger 3.1", feature: "ledger", name: "Action", version: 3),
      migrations: migrations)
    var cents = 0
    let summary = try replayer.replay(
      RotatedLog(LogFile(path: Logs.path(name))), acceptRisk: acceptRisk,
      onStep: {
        cents = $1.cents; _ = ($0, $2)
      })
    return (summary, cents)
  }

  @Test(
    "older logs replay through their migrations",
    arguments: ["ledger-1.actions.jsonl", "ledger-2.actions.jsonl"])
  func olderLogsReplayThroughTheirMigrations(name: String) throws {
    let (summary, cents) = try replay(name, Self.migrations + [Self.filling])
    #expect(summary.grade == .fine)
    #expect(summary.steps == 4)
    #expect(cents == 1234)
    // Another form of state has other digests; that is said and not passed over.
    #expect(summary.warnings.contains(.digestsNotCompared))
    #expect(summary.digests == 0)
  }

  @Test(
    "older logs replay through migrations in place",
    arguments: ["ledger-1.actions.jsonl", "ledger-2.actions.jsonl"])
  func olderLogsReplayThroughMigrationsInPlace(name: String) throws {
    let (summary, cents) = try replay(name, Self.editing)
    #expect(summary.grade == .fine)
    #expect(summary.steps == 4)
    #expect(cents == 1234)
    // Without the edit of the state its new property is a default's.
    let actionsAlone = [
      Self.editing[0], LogMigration(from: 2, editAction: { $0.rename("pay", to: "deposit") }),
    ]
    #expect(throws: ReplayError.self) { try self.replay(name, actionsAlone) }
    #expect(try replay(name, actionsAlone, acceptRisk: true).cents == 1234)
  }

  @Test("an edit that throws is impossible") func anEditThatThrowsIsImpossible() throws {
    let refusing = LogMigration(
      from: 2, editAction: { action in try action.rename("pay", to: "deposit", at: "..") })
    let error = #expect(throws: ReplayError.self) {
      try self.replay("ledger-2.actions.jsonl", [refusing])
    }
    guard case .impossible(let obstacle)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(obstacle.reason.contains("migration"))
  }

  @Test(
    "what a default fills in is a risk",
    arguments: ["ledger-1.actions.jsonl", "ledger-2.actions.jsonl"])
  func whatADefaultFillsInIsARisk(name: String) throws {
    let error = #expect(throws: ReplayError.self) { try self.replay(name, Self.migrations) }
    guard case .risky(.risky(let risks, more: 0))? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.kind == "risky")
    #expect(risks.map(\.step) == [0])
    #expect(risks[0].line == 1)
    #expect(risks[0].changes == [StateDiff.Change(path: "deposits", old: nil, new: 0)])
    #expect(try replay(name, Self.migrations, acceptRisk: true).cents == 1234)
  }

  @Test("without its migrations an old log is impossible")
  func withoutItsMigrationsAnOldLogIsImpossible() throws {
    for (name, migrations) in [
      ("ledger-1.actions.jsonl", []), ("ledger-2.actions.jsonl", []),
      ("ledger-1.actions.jsonl", [Self.migrations[1]]),
    ] {
      let error = #expect(throws: ReplayError.self) {
        try self.replay(name, migrations, acceptRisk: true)
      }
      guard case .impossible(let obstacle)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.kind == "impossible")
      #expect(obstacle.line == 2)
      #expect(obstacle.step == 1)
    }
  }

  @Test("all kept logs are whole") func allKeptLogsAreWhole() throws {
    for name in [
      "ledger-1.actions.jsonl", "ledger-2.actions.jsonl", "impure-order.actions.jsonl",
      "counter-1.actions.jsonl", "two-ids.actions.jsonl",
    ] {
      let (_, warnings, error) = read(try contents(of: Logs.path(name)))
      #expect(error == nil)
      #expect(warnings == [])
    }
    let summary = try Session.replayer().verify(path: Logs.path("counter-1.actions.jsonl"))
    #expect(summary.steps == 7)
    #expect(summary.grade == .fine)
  }
}
