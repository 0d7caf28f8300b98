/// What stands in the place of a secret: `«secret:NAME»` or `«redacted»`.
enum RedactionMark {
  static let redacted = "«redacted»"
  private static let longest = 128

  /// The mark for a secret of that name. Characters that would end the mark or a line are left out.
  static func named(_ name: String) -> String {
    let safe = name.unicodeScalars.filter { $0.value >= 0x20 && $0 != "»" && $0 != "«" }.prefix(64)
    return "«secret:\(String(String.UnicodeScalarView(safe)))»"
  }

  /// Whether the text is one mark and nothing else.
  static func isMark(_ text: String) -> Bool {
    Array(text.utf8).withUnsafeBufferPointer { bytes in
      !bytes.isEmpty && end(in: bytes, at: 0) == bytes.count
    }
  }

  /// The mark in the text, when there is exactly one kind of named mark in it.
  static func only(in text: String) -> String? {
    let bytes = Array(text.utf8)
    let found = Set(
      bytes.withUnsafeBufferPointer { buffer in
        ranges(in: buffer).map { String(decoding: buffer[$0], as: UTF8.self) }
      })
    guard found.count == 1, let mark = found.first, mark != redacted else { return nil }
    return mark
  }

  /// Where the marks of a text are.
  static func ranges(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var index = 0
    while index < text.count {
      if text[index] == 0xC2, let end = end(in: text, at: index) {
        ranges.append(index..<end)
        index = end
      } else {
        index += 1
      }
    }
    return ranges
  }

  /// Where the mark that begins at `start` ends; `nil` where none begins.
  static func end(in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard start + 1 < text.count, text[start] == 0xC2, text[start + 1] == 0xAB else { return nil }
    var index = start + 2
    let limit = min(text.count - 1, start + longest * 4)
    while index < limit {
      if text[index] == 0xC2, text[index + 1] == 0xBB {
        let inner = UnsafeBufferPointer(rebasing: text[(start + 2)..<index])
        return inner.elementsEqual("redacted".utf8) || inner.starts(with: "secret:".utf8)
          ? index + 2 : nil
      }
      if text[index] < 0x20 { return nil }
      index += 1
    }
    return nil
  }
}
