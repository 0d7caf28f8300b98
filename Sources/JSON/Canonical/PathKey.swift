/// A step of a coding path that was recovered from the bytes.
struct PathKey: CodingKey {
  var stringValue: String
  var intValue: Int?

  init(stringValue: String) { self.stringValue = stringValue }

  init(intValue: Int) {
    stringValue = "Index \(intValue)"
    self.intValue = intValue
  }
}

extension CanonicalWriter {
  /// Returns the path to the value of the frame at `depth`. Recovers it from the written bytes, so
  /// it needs no memory.
  func codingPath(of depth: Int) -> [any CodingKey] {
    var path: [any CodingKey] = []
    for index in 0..<min(depth, frames.count) {
      let frame = frames.base[index]
      switch frame.kind {
      case .open, .scalar: break
      case .object:
        let end = index + 1 < frames.count ? frames.base[index + 1].entries : entries.count
        guard end > frame.entries else { continue }
        let entry = entries.base[end - 1]
        let key = resolveEscapes(slice(entry.start + 1, entry.keyEnd))
        path.append(PathKey(stringValue: String(decoding: key, as: UTF8.self)))
      case .array, .set, .pairs:
        if frame.count > 0 { path.append(PathKey(intValue: frame.count - 1)) }
      }
    }
    return path
  }
}
