import SwiftBoardStore

public struct Row: Reducer {
  public struct State: Sendable, Identifiable {
    public let id: Int
    public var count = 0
    public var title = "a row with a title that is too long to be stored in place"
  }

  public enum Action: Sendable {
    case add(Int)
  }

  @inlinable
  public init() {}

  @inlinable
  public func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Int
  ) -> [Effect<Action>] {
    switch action {
    case .add(let amount): state.count &+= amount &* dependencies
    }
    return []
  }
}

public struct ListState: Sendable {
  public var rows: IdentifiedArrayOf<Row.State>
  public var own = 0

  public init(_ count: Int) {
    rows = IdentifiedArray((0..<count).map { Row.State(id: $0) })
  }
}

public enum ListAction: Sendable {
  case row(ElementAction<Int, Row.Action>)
  case remove(Int)
  case own

  @inlinable
  public static var row: CasePath<Self, ElementAction<Int, Row.Action>> {
    CasePath(embed: ListAction.row) { if case .row(let action) = $0 { action } else { nil } }
  }
}

public struct ListByOperator: ComposedReducer {
  @inlinable
  public init() {}

  @inlinable
  public var body: some Reducer<ListState, ListAction, Int> {
    Reduce<ListState, ListAction, Int> { state, action, _ in
      switch action {
      case .row: break
      case .remove(let id): state.rows.remove(id: id)
      case .own: state.own &+= 1
      }
      return []
    }
    .forEach(\.rows, action: ListAction.row, id: "rows") { Row() }
  }
}
