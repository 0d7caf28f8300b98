/// Finds what is secret by its place: header values, values of secret keys, the user part of URLs. One pass, linear.
struct PositionScanner {
  struct Region {
    var range: Range<Int>
    /// Put around the mark: JSON needs quotes where a number stood.
    var quote: [UInt8] = []

    /// `names`: of the registered secrets inside.
    func edit(names: [String]) -> RedactionEdit {
      let mark = names.count == 1 ? RedactionMark.named(names[0]) : RedactionMark.redacted
      return RedactionEdit(range: range, replacement: quote + Array(mark.utf8) + quote)
    }
  }

  private let text: UnsafeBufferPointer<UInt8>
  private var found: [Region] = []
  /// Whether a double quote is open on the line, counted up to `countedTo`.
  private var quoteIsOpen = false
  private var countedTo = 0

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  /// In order, not overlapping.
  mutating func regions() -> [Region] {
    var index = 0
    while let sign = TextSigns.nextKeySign(in: text, from: index) {
      index = text[sign] == UInt8(ascii: "=") ? equals(at: sign) : colon(at: sign)
    }
    return found
  }

  // MARK: key=value

  private mutating func equals(at sign: Int) -> Int {
    var end = sign
    if end > 0, text[end - 1] == UInt8(ascii: ":") { end -= 1 }
    let name = name(before: end)
    guard let kind = SecretKey.kind(text, name.range), kind != .name else { return sign + 1 }
    let isSpaced = name.nameEnd < end && !name.isQuoted
    if kind == .bare {
      guard !isSpaced, !name.isQuoted, beginsFormField(at: name.range.lowerBound) else {
        return sign + 1
      }
    }
    var start = sign + 1
    while start < text.count, text[start] == UInt8(ascii: "=") { start += 1 }
    if kind != .bare { start = skipBlanks(from: start) }
    if let quote = quote(at: start) {
      return add(start + quote.length, closing(quote, from: start + quote.length))
    }
    var stop = endOfWord(from: start)
    if kind == .header || kind == .either, isScheme(start..<stop) {
      stop = endOfWord(from: skipBlanks(from: stop))
    }
    return add(start, stop)
  }

  private func beginsFormField(at index: Int) -> Bool {
    guard index > 0 else { return true }
    switch text[index - 1] {
    case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "#"): return true
    case UInt8(ascii: "\""), UInt8(ascii: "'"), 0...0x20: return true
    default: return false
    }
  }

  private func endOfWord(from start: Int) -> Int {
    var end = start
    if let mark = RedactionMark.end(in: text, at: end) { end = mark }
    loop: while end < text.count {
      switch text[end] {
      case 0...0x20, 0x7F, UInt8(ascii: "&"), UInt8(ascii: "\""), UInt8(ascii: "<"),
        UInt8(ascii: ">"):
        break loop
      case UInt8(ascii: "\\") where end + 1 < text.count && text[end + 1] == UInt8(ascii: "\""):
        break loop
      default: end += 1
      }
    }
    trim: while end > start {
      switch text[end - 1] {
      case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "."), UInt8(ascii: ")"),
        UInt8(ascii: "]"), UInt8(ascii: "}"), UInt8(ascii: "'"), UInt8(ascii: "\\"):
        end -= 1
      default: break trim
      }
    }
    return end
  }

  private func isScheme(_ range: Range<Int>) -> Bool {
    let word = String(decoding: text[range], as: UTF8.self).lowercased()
    return ["bearer", "basic", "digest", "token"].contains(word)
  }

  // MARK: key: value

  private mutating func colon(at sign: Int) -> Int {
    let next = sign + 1
    guard next < text.count, text[next] != UInt8(ascii: "=") else { return next }
    if next + 1 < text.count, text[next] == UInt8(ascii: "/"), text[next + 1] == UInt8(ascii: "/") {
      return userInfo(from: next + 2)
    }
    let name = name(before: sign)
    guard let kind = SecretKey.kind(text, name.range) else { return next }
    let start = skipBlanks(from: next)
    if kind == .name || kind == .bare { return namedPair(valueAt: start) ?? next }
    if let quote = quote(at: start), name.isQuoted || kind != .header {
      return add(start + quote.length, closing(quote, from: start + quote.length))
    }
    if name.isQuoted { return jsonValue(at: start, name) }
    guard kind == .header || kind == .either else { return next }
    return headerValue(from: start, name: name.range.lowerBound)
  }

  private mutating func userInfo(from start: Int) -> Int {
    var end = start
    var at: Int?
    loop: while end < text.count {
      switch text[end] {
      case 0...0x20, 0x7F, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"),
        UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"),
        UInt8(ascii: "\\"):
        break loop
      case UInt8(ascii: "@"): at = end
      default: break
      }
      end += 1
    }
    guard let at else { return start }
    return add(start, at)
  }

  /// To the end of the line, or of the quotation that the header stands in.
  private mutating func headerValue(from start: Int, name: Int) -> Int {
    countQuotes(to: name)
    let isSingle = name > 0 && text[name - 1] == UInt8(ascii: "'")
    var end = start
    loop: while end < text.count {
      switch text[end] {
      case 0x0A, 0x0D, 0x00: break loop
      case UInt8(ascii: "'") where isSingle: break loop
      case UInt8(ascii: "\"") where quoteIsOpen: break loop
      case UInt8(ascii: "\\") where quoteIsOpen && end + 1 < text.count:
        if text[end + 1] == UInt8(ascii: "n") || text[end + 1] == UInt8(ascii: "r") { break loop }
        end += 2
      default: end += 1
      }
    }
    while end > start, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
    return add(start, end)
  }

  private mutating func countQuotes(to index: Int) {
    while countedTo < index {
      switch text[countedTo] {
      case 0x0A: quoteIsOpen = false
      case UInt8(ascii: "\"") where backslashes(before: countedTo) % 2 == 0: quoteIsOpen.toggle()
      default: break
      }
      countedTo += 1
    }
  }

  /// A number, or the strings of an array; `true`, `false`, `null` and objects hold no secret of their own.
  private mutating func jsonValue(at start: Int, _ name: Name) -> Int {
    guard start < text.count else { return start }
    if text[start] == UInt8(ascii: "[") {
      var index = skipBlanks(from: start + 1)
      while let quote = quote(at: index) {
        index = add(index + quote.length, closing(quote, from: index + quote.length))
        index = skipBlanks(from: min(text.count, index + quote.length))
        guard index < text.count, text[index] == UInt8(ascii: ",") else { break }
        index = skipBlanks(from: index + 1)
      }
      return index
    }
    var end = start
    while end < text.count, text[end] == UInt8(ascii: "-") || (0x30...0x39).contains(text[end]) {
      end += 1
    }
    guard end > start else { return start }
    found.append(Region(range: start..<end, quote: name.quote))
    return end
  }

  /// `name: "Authorization", value: "…"`, as lists of headers are written.
  private mutating func namedPair(valueAt start: Int) -> Int? {
    guard let quote = quote(at: start) else { return nil }
    let begin = start + quote.length
    let end = closing(quote, from: begin)
    guard let kind = SecretKey.kind(text, begin..<end), kind != .bare, kind != .name else {
      return nil
    }
    var index = skipBlanks(from: min(text.count, end + quote.length))
    guard index < text.count, text[index] == UInt8(ascii: ",") else { return nil }
    index = skipBlanks(from: index + 1)
    if let quote = self.quote(at: index) { index += quote.length }
    guard text[index...].starts(with: "value".utf8) else { return nil }
    index += 5
    if let quote = self.quote(at: index) { index += quote.length }
    index = skipBlanks(from: index)
    guard index < text.count, text[index] == UInt8(ascii: ":") else { return nil }
    index = skipBlanks(from: index + 1)
    guard let value = self.quote(at: index) else { return nil }
    return add(index + value.length, closing(value, from: index + value.length))
  }

  // MARK: Parts

  private struct Name {
    var range: Range<Int>
    var quote: [UInt8]
    /// Where the name with its quotes ends; blanks may follow.
    var nameEnd: Int
    var isQuoted: Bool { !quote.isEmpty }
  }

  /// The name that ends, perhaps quoted and followed by blanks, before `end`.
  private func name(before end: Int) -> Name {
    var stop = end
    while stop > 0, end - stop < 16, text[stop - 1] == 0x20 || text[stop - 1] == 0x09 { stop -= 1 }
    let nameEnd = stop
    var quote: [UInt8] = []
    if stop > 0, text[stop - 1] == UInt8(ascii: "\"") || text[stop - 1] == UInt8(ascii: "'") {
      let count = min(backslashes(before: stop - 1), 7)
      quote = Array(text[(stop - 1 - count)..<stop])
      stop -= 1 + count
    }
    var start = stop
    while start > 0, stop - start <= 40, SecretKey.isPartOfName(text[start - 1]) { start -= 1 }
    return Name(range: start..<stop, quote: quote, nameEnd: nameEnd)
  }

  private struct Quote {
    var character: UInt8
    /// Backslashes before it: a string inside a string.
    var level: Int
    var length: Int { level + 1 }
  }

  private func quote(at index: Int) -> Quote? {
    var end = index
    while end < text.count, end - index < 8, text[end] == UInt8(ascii: "\\") { end += 1 }
    guard end < text.count, text[end] == UInt8(ascii: "\"") || text[end] == UInt8(ascii: "'") else {
      return nil
    }
    return Quote(character: text[end], level: end - index)
  }

  /// Where the text in quotes ends. A quote inside it has more backslashes than the one that opened.
  private func closing(_ quote: Quote, from start: Int) -> Int {
    var end = start
    while end < text.count {
      if text[end] == quote.character {
        let count = min(backslashes(before: end), end - start)
        if count % (2 * (quote.level + 1)) == quote.level { return end - quote.level }
      }
      end += 1
    }
    return end
  }

  private func backslashes(before index: Int) -> Int {
    var start = index
    while start > 0, text[start - 1] == UInt8(ascii: "\\") { start -= 1 }
    return index - start
  }

  private func skipBlanks(from index: Int) -> Int {
    var index = index
    while index < text.count, text[index] == 0x20 || text[index] == 0x09 { index += 1 }
    return index
  }

  /// Notes a region unless it is empty, a mark already or the name of a secret. Returns its end.
  private mutating func add(_ start: Int, _ end: Int) -> Int {
    if let reference = reference(at: start) {
      // What follows after a blank is the next word of a line as somebody typed it.
      guard reference < end, text[reference] > 0x20 else { return reference }
      found.append(Region(range: reference..<end))
      return end
    }
    if start < end, RedactionMark.end(in: text, at: start) != end {
      found.append(Region(range: start..<end))
    }
    return max(start, end)
  }

  /// Where `{{secret:NAME}}` ends that begins at `start`; `nil` where none begins. It names a secret and is none.
  private func reference(at start: Int) -> Int? {
    let opening = Array("{{secret:".utf8)
    guard start < text.count, text[start...].starts(with: opening) else { return nil }
    var end = start + opening.count
    while end < text.count, end - start < 128, text[end] > 0x20, text[end] != UInt8(ascii: "{") {
      if text[end] == UInt8(ascii: "}") {
        return end + 1 < text.count && text[end + 1] == UInt8(ascii: "}") ? end + 2 : nil
      }
      end += 1
    }
    return nil
  }
}
