import Testing

@testable import SwiftBoardStore

@Suite("The permits of a limit")
struct PermitsTests {
  private static let key = CancelKey(id: CancelID("pool"))

  private static func effect(_ serial: UInt32) -> EffectID {
    EffectID(slot: Int32(serial), serial: serial)
  }

  private static func limit(
    _ count: Int, _ overflow: OverflowPolicy, countsCancelled: Bool = false
  ) -> EffectLimit {
    EffectLimit(
      key: key, scope: .store, count: count, overflow: overflow, countsCancelled: countsCancelled)
  }

  /// What effects 1, 2, 3 … are told that enter in turn.
  private static func answers(_ number: UInt32, _ limit: EffectLimit) -> [Permits.Answer] {
    var permits = Permits()
    return (1...number).map { permits.enter(effect($0), limit) }
  }

  @Test(
    "each policy has its answers",
    arguments: [
      (limit(2, .drop), [.start(), .start(), .drop, .drop]),
      (
        limit(2, .cancelOldest),
        [.start(), .start(), .start(evicting: effect(1)), .start(evicting: effect(2))]
      ),
      (
        limit(1, .cancelOldest, countsCancelled: true),
        [
          .start(), .wait(evicting: effect(1)), .wait(evicting: effect(2)),
          .wait(evicting: effect(3)),
        ]
      ),
      (
        limit(2, .cancelOldest, countsCancelled: true),
        [.start(), .start(), .wait(evicting: effect(1)), .wait(evicting: effect(2))]
      ),
      (limit(1, .wait(capacity: nil, dropsOldest: false)), [.start(), .wait(), .wait(), .wait()]),
      (limit(1, .wait(capacity: 1, dropsOldest: false)), [.start(), .wait(), .drop, .drop]),
      (
        limit(1, .wait(capacity: 1, dropsOldest: true)),
        [.start(), .wait(), .wait(evicting: effect(2)), .wait(evicting: effect(3))]
      ),
      (limit(1, .wait(capacity: 0, dropsOldest: true)), [.start(), .drop, .drop, .drop]),
    ] as [(EffectLimit, [Permits.Answer])])
  func policies(limit: EffectLimit, answers: [Permits.Answer]) {
    #expect(Self.answers(4, limit) == answers)
  }

  @Test("a permit that is given back goes to the one that has waited longest")
  func leave() {
    var permits = Permits()
    let limit = Self.limit(1, .wait(capacity: nil, dropsOldest: false))
    for number in 1...3 { _ = permits.enter(Self.effect(UInt32(number)), limit) }
    // 2 waits no more.
    #expect(permits.release(Self.effect(2)) == nil)
    #expect(permits.release(Self.effect(1)) == Self.effect(3))
    #expect(permits.release(Self.effect(3)) == nil)
    #expect(permits.isEmpty)
  }

  @Test("a cancelled effect keeps its permit until it leaves")
  func noteCancelled() {
    var permits = Permits()
    let limit = Self.limit(1, .wait(capacity: nil, dropsOldest: false), countsCancelled: true)
    #expect(permits.enter(Self.effect(1), limit) == .start())
    permits.noteCancelled(Self.effect(1))
    #expect(permits.enter(Self.effect(2), limit) == .wait())
    #expect(permits.release(Self.effect(1)) == Self.effect(2))
  }

  @Test("a permit that was handed on is given back by the other")
  func pass() {
    var permits = Permits()
    let limit = Self.limit(1, .wait(capacity: nil, dropsOldest: false))
    #expect(permits.enter(Self.effect(1), limit) == .start())
    permits.pass(Self.effect(1), to: Self.effect(7))
    #expect(permits.enter(Self.effect(2), limit) == .wait())
    #expect(permits.release(Self.effect(1)) == nil)
    #expect(permits.release(Self.effect(7)) == Self.effect(2))
  }

  @Test("effects of one id whose limits differ do not stop the store")
  func differentLimits() {
    var permits = Permits()
    #expect(permits.enter(Self.effect(1), Self.limit(1, .drop, countsCancelled: true)) == .start())
    permits.noteCancelled(Self.effect(1))
    // Nothing runs that could be cancelled: the permit is on its way back.
    #expect(permits.enter(Self.effect(2), Self.limit(1, .cancelOldest)) == .wait())
    #expect(permits.release(Self.effect(1)) == Self.effect(2))
  }
}
