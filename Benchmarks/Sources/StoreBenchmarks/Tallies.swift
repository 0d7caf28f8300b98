import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore

/// A feature whose values are encoded by `Codable`.
struct Tally: Reducer {
  struct State: Sendable, Codable {
    var count = 0
  }

  enum Action: Sendable, Codable {
    case add(Int)
  }

  @inlinable
  func reduce(_ state: inout State, _ action: Action, _ dependencies: Int) -> [Effect<Action>] {
    if case .add(let amount) = action { state.count &+= amount &* dependencies }
    return []
  }
}

/// The same feature, whose values write and read themselves.
struct QuickTally: Reducer {
  struct State: Sendable, Codable, CanonicalCodable {
    var count = 0

    init() {}

    func encodeCanonical(to writer: inout CanonicalWriter) throws {
      writer.beginObject()
      writer.key("count")
      writer.int(count)
      writer.endObject()
    }

    init(canonical reader: inout CanonicalReader) throws {
      count = try reader.member("count").int()
    }
  }

  enum Action: Sendable, Codable, CanonicalCodable {
    case add(Int)

    func encodeCanonical(to writer: inout CanonicalWriter) throws {
      guard case .add(let amount) = self else { return }
      writer.beginObject()
      writer.key("add")
      writer.beginObject()
      writer.key("_0")
      writer.int(amount)
      writer.endObject()
      writer.endObject()
    }

    init(canonical reader: inout CanonicalReader) throws {
      self = .add(try reader.member("add").member("_0").int())
    }
  }

  @inlinable
  func reduce(_ state: inout State, _ action: Action, _ dependencies: Int) -> [Effect<Action>] {
    if case .add(let amount) = action { state.count &+= amount &* dependencies }
    return []
  }
}

/// A feature with a state whose JSON has about 1 kB.
struct Pages: Reducer {
  struct State: Sendable, Codable {
    var rows = (10..<30).map { "row \($0) of what a screen of text shows, about" }
    var count = 0
  }

  @inlinable
  func reduce(
    _ state: inout State, _ action: Tally.Action, _ dependencies: Int
  ) -> [Effect<Tally.Action>] {
    if case .add(let amount) = action { state.count &+= amount &* dependencies }
    return []
  }
}
