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
    if let changes {
      writer.key("changes")
      changes.encodeCanonical(to: &writer)
    }
    if let file {
      writer.key("file")
      file.write(to: &writer)
    }
    if let isUnlocked { writer.member("isUnlocked", isUnlocked) }
    if let knowsNames { writer.member("knowsNames", knowsNames) }
    if let names {
      writer.key("names")
      writer.beginArray()
      for name in names { writer.string(name) }
      writer.endArray()
    }
    writer.endObject()
  }
}

extension KeychainFileState {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let exists { writer.member("exists", exists) }
    if let generation { writer.member("generation", generation) }
    if let slots {
      writer.key("slots")
      writer.beginArray()
      for kind in slots { writer.string(kind) }
      writer.endArray()
    }
    writer.endObject()
  }
}
