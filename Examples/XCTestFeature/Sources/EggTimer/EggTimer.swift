import SwiftBoardStore

/// Counts the minutes until an egg is done. A recording needs states and actions that are
/// `Codable`.
public struct EggTimer: Reducer {
  public struct State: Sendable, Equatable, Codable {
    public var minutesLeft = 0
    public var isDone = false

    public init() {}
  }

  public enum Action: Sendable, Equatable, Codable {
    case boil(minutes: Int)
    case minutePassed
    case takeOut
  }

  public struct Kitchen: Sendable {
    let clock: any Clock<Duration>

    public init(clock: any Clock<Duration>) {
      self.clock = clock
    }
  }

  public init() {}

  public func reduce(
    _ state: inout State, _ action: Action, _ kitchen: Kitchen
  ) -> [Effect<Action>] {
    switch action {
    case .boil(let minutes):
      state.minutesLeft = minutes
      state.isDone = false
      return [
        .run(name: "minutes") { send in
          for _ in 0..<minutes {
            try await kitchen.clock.sleep(for: .seconds(60))
            send(.minutePassed)
          }
        }.cancellable(id: "egg", cancelInFlight: true)
      ]
    case .minutePassed:
      state.minutesLeft -= 1
      state.isDone = state.minutesLeft == 0
      return []
    case .takeOut:
      state = State()
      return [.cancel(id: "egg")]
    }
  }
}
