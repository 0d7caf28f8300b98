import SwiftBoardBoard
import SwiftBoardJSON

extension KeychainState: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let autoLock {
      writer.key("autoLock")
      writer.int(autoLock)
    }
    if let isUnlocked { writer.member("isUnlocked", isUnlocked) }
    if let names {
      writer.key("names")
      writer.beginArray()
      for name in names { writer.string(name) }
      writer.endArray()
    }
    writer.endObject()
  }
}
