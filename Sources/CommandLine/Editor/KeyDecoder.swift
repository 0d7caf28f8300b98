/// Decodes the bytes of a terminal into keys.
///
/// A sequence of bytes may be split between reads. Control sequences that are not keys of the
/// editor are dropped as a whole, so none is inserted as text. Invalid UTF-8 is dropped.
///
/// An Escape is a key, or the first byte of another one. While `isWaiting` is set, the caller waits
/// for more bytes for a short time, and calls `timeOut` if none arrive.
package struct KeyDecoder: Sendable {
  private enum State: Sendable {
    case ground, escape, ss3
    /// The parameters so far.
    case csi([UInt8])
    /// The text of a terminal's report, which is dropped. `escaped` is set after an Escape in it.
    case report(escaped: Bool)
    case paste
  }

  /// The maximum number of stored parameter bytes. Longer sequences are not keys.
  private static let parameterLimit = 32
  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private var state = State.ground
  /// The bytes of printable characters that are not decoded yet.
  private var text: [UInt8] = []
  private var pasted: [UInt8] = []
  private var keys: [Key] = []

  package init() {}

  /// Whether the meaning of the last bytes depends on whether more follow soon.
  package var isWaiting: Bool {
    switch state {
    case .ground, .paste: false
    case .escape, .ss3, .csi, .report: true
    }
  }

  /// Decodes a chunk, and returns the complete keys.
  package mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    for byte in bytes { decode(byte) }
    flushText(isEnd: false)
    defer { keys = [] }
    return keys
  }

  /// Ends a sequence that was not completed in time. A lone Escape is a key; other sequences are
  /// dropped.
  package mutating func timeOut() -> [Key] {
    defer { state = .ground }
    if case .escape = state { return [.escape] }
    return []
  }

  /// Ends a paste whose end has not arrived, and drops it: the connection may have lost the mark.
  package mutating func endPaste() {
    guard case .paste = state else { return }
    (state, pasted) = (.ground, [])
  }

  private mutating func decode(_ byte: UInt8) {
    switch state {
    case .ground: decodeGround(byte)
    case .escape: decodeEscape(byte)
    case .ss3:
      state = .ground
      if byte < 0x20 { return decodeGround(byte) }
      if byte == UInt8(ascii: "M") { keys.append(.enter) } else { appendArrow(byte, modifier: 1) }
    case .csi(var parameters):
      if byte < 0x20 {
        state = .ground
        return decodeGround(byte)
      }
      // The Linux console sends `[[A` for F1.
      let isPrefix = parameters.isEmpty && byte == UInt8(ascii: "[")
      if (0x40...0x7E).contains(byte), !isPrefix {
        state = .ground
        finish(parameters, byte)
      } else {
        if parameters.count < Self.parameterLimit { parameters.append(byte) }
        state = .csi(parameters)
      }
    case .report(let escaped):
      if byte == 0x07 || byte == 0x18 || byte == 0x1A || (escaped && byte == UInt8(ascii: "\\")) {
        state = .ground
      } else {
        state = .report(escaped: byte == 0x1B)
      }
    case .paste:
      pasted.append(byte)
      if byte == UInt8(ascii: "~"), pasted.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd)
      {
        pasted.removeLast(Self.pasteEnd.count)
        state = .ground
        appendPaste()
      }
    }
  }

  private mutating func decodeGround(_ byte: UInt8) {
    if byte >= 0x20, byte != 0x7F { return text.append(byte) }
    flushText(isEnd: true)
    switch byte {
    case 0: break
    case 0x08, 0x7F: keys.append(.backspace)
    case 0x09: keys.append(.tab)
    case 0x0D: keys.append(.enter)
    case 0x1B: state = .escape
    default:
      let sign = Character(Unicode.Scalar(byte | 0x40))
      keys.append(.control(sign.lowercased()))
    }
  }

  private mutating func decodeEscape(_ byte: UInt8) {
    state = .ground
    switch byte {
    case UInt8(ascii: "["): state = .csi([])
    case UInt8(ascii: "O"): state = .ss3
    case UInt8(ascii: "]"), UInt8(ascii: "P"): state = .report(escaped: false)
    case 0x1B: state = .escape
    case 0x08, 0x7F: keys.append(.metaBackspace)
    case 0x0A, 0x0D: keys.append(.metaEnter)
    case 0x20..<0x7F: keys.append(.meta(Character(Unicode.Scalar(byte)).lowercased()))
    default: decodeGround(byte)
    }
  }

  private mutating func finish(_ parameters: [UInt8], _ final: UInt8) {
    let numbers = parameters.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { Int(String(decoding: $0, as: UTF8.self)) }
    let first = numbers.first.flatMap { $0 }
    let modifier = numbers.count > 1 ? numbers[1] ?? 1 : 1
    switch final {
    case UInt8(ascii: "Z"): keys.append(.backTab)
    case UInt8(ascii: "~"):
      switch first {
      case 1, 7: keys.append(.home)
      case 4, 8: keys.append(.end)
      case 3: keys.append(modifier == 1 ? .delete : .meta("d"))
      case 5: keys.append(.pageUp)
      case 6: keys.append(.pageDown)
      case 200: state = .paste
      default: break
      }
    default:
      guard parameters.allSatisfy({ (0x30...0x3B).contains($0) }) else { return }
      appendArrow(final, modifier: modifier)
    }
  }

  private mutating func appendArrow(_ final: UInt8, modifier: Int) {
    switch final {
    case UInt8(ascii: "A"): keys.append(.up)
    case UInt8(ascii: "B"): keys.append(.down)
    case UInt8(ascii: "C"): keys.append(modifier > 2 ? .wordRight : .right)
    case UInt8(ascii: "D"): keys.append(modifier > 2 ? .wordLeft : .left)
    case UInt8(ascii: "H"): keys.append(.home)
    case UInt8(ascii: "F"): keys.append(.end)
    default: break
    }
  }

  // MARK: Text

  /// Decodes the collected characters. Keeps an incomplete last one unless it cannot be completed.
  private mutating func flushText(isEnd: Bool) {
    guard !text.isEmpty else { return }
    var result = String.UnicodeScalarView()
    var index = 0
    while index < text.count {
      let length = Self.length(of: text[index])
      if index + length > text.count {
        let isOpen = text[(index + 1)...].allSatisfy { $0 & 0xC0 == 0x80 }
        if isOpen, !isEnd { break }
        index += 1
        continue
      }
      if length > 0,
        let character = String(validating: text[index..<(index + length)], as: UTF8.self)
      {
        result.append(contentsOf: character.unicodeScalars.lazy.filter { !Self.isC1($0) })
        index += length
      } else {
        index += 1
      }
    }
    text.removeFirst(index)
    if !result.isEmpty { keys.append(.text(String(result))) }
  }

  private static func isC1(_ scalar: Unicode.Scalar) -> Bool {
    (0x7F...0x9F).contains(scalar.value)
  }

  /// Returns the number of bytes of a character, by its first byte, or 0 if none begins with it.
  private static func length(of byte: UInt8) -> Int {
    switch byte {
    case ..<0x80: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }

  /// Appends the pasted characters with line feeds as newlines and without other controls, and a
  /// key that says so if C1 controls or bytes that are not UTF-8 are left out.
  private mutating func appendPaste() {
    var result = String.UnicodeScalarView()
    // C0 controls, as those of colors, are left out without the bell.
    var (hadReturn, isInvalid) = (false, false)
    var (decoder, bytes) = (UTF8(), pasted.makeIterator())
    loop: while true {
      switch decoder.decode(&bytes) {
      case .emptyInput: break loop
      case .error: isInvalid = true
      case .scalarValue(let scalar):
        switch scalar {
        case "\r": result.append("\n")
        case "\n": if !hadReturn { result.append("\n") }
        case "\t": result.append(scalar)
        case _ where Self.isC1(scalar): isInvalid = true
        case _ where scalar.value < 0x20: break
        default: result.append(scalar)
        }
        hadReturn = scalar == "\r"
      }
    }
    keys.append(.paste(String(result)))
    if isInvalid { keys.append(.invalid) }
    pasted = []
  }
}
