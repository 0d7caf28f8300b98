import SwiftBoardBoard
import SwiftBoardJSON

extension KeychainState: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginObject()
    writer.member("autoLock", autoLock) { $1.int($0) }
    writer.member("changes", changes) { $0.encodeCanonical(to: &$1) }
    writer.member("file", file) { $0.write(to: &$1) }
    if let isUnlocked { writer.member("isUnlocked", isUnlocked) }
    if let knowsNames { writer.member("knowsNames", knowsNames) }
    writer.array("names", names) { $1.string($0) }
    writer.endObject()
  }
}

extension KeychainFileState {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let exists { writer.member("exists", exists) }
    if let generation { writer.member("generation", generation) }
    writer.array("slots", slots) { $1.string($0) }
    writer.endObject()
  }
}
