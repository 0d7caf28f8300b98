import SwiftBoardDependencies
import SwiftBoardJSON
import Synchronization

/// A body stored as canonical JSON, so that each step can write it without inspecting its parts.
/// The text is parsed on first use, so only if a step is recorded or displayed.
public struct KeptBody: Codable, Sendable, Equatable {
  private final class Box: Sendable {
    let text: String
    let canonical = Mutex<[UInt8]?>(nil)

    init(_ text: String) { self.text = text }
  }

  private let box: Box

  /// Keeps the text of a body. O(1).
  init(text: String) { box = Box(text) }

  /// Canonical JSON. O(size) the first time.
  var canonical: [UInt8] {
    box.canonical.withLock { canonical in
      if let canonical { return canonical }
      let bytes = Array(AnswerJSON.body(box.text).canonical.utf8)
      canonical = bytes
      return bytes
    }
  }

  /// The value. O(size).
  public var value: JSON { (try? JSON(parsing: canonical)) ?? .null }

  /// Whether both have the same value. O(size).
  public static func == (one: Self, other: Self) -> Bool {
    one.box === other.box || one.canonical == other.canonical
  }

  /// Decodes any value.
  public init(from decoder: any Decoder) throws {
    let value = try JSON(from: decoder)
    box = Box("")
    let bytes = Array(value.canonical.utf8)
    box.canonical.withLock { $0 = bytes }
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}
