/// The format of a `JSON` as text.
public struct JSONFormat: Sendable, Hashable {
  /// The characters that are written as `\u…` in addition to the ones that JSON requires.
  public enum Escaping: Sendable, Hashable {
    /// Only quotes, `\` and characters below U+0020.
    case minimal
    /// Also characters that can control a terminal or reorder a line: U+007F to U+009F, line
    /// separators and all bidirectional controls.
    case controls
    /// Also all characters beyond ASCII.
    case ascii
  }

  /// The number of spaces per level, or `nil` for one line.
  public var indent: Int?
  /// The characters to escape in addition to the required ones.
  public var escaping: Escaping

  /// Creates a format. By default, it is one line with only the required escapes.
  ///
  /// - Parameter indent: The number of spaces per level. A value below 0 counts as 0: a line for
  ///   each element, without indentation.
  public init(indent: Int? = nil, escaping: Escaping = .minimal) {
    self.indent = indent
    self.escaping = escaping
  }

  /// One line without spaces.
  public static let compact = JSONFormat()
  /// Two spaces per level, with one member or element per line.
  public static let pretty = JSONFormat(indent: 2)
}

extension JSON: CustomStringConvertible {
  /// The value as one line, with only the escapes that JSON requires.
  public var text: String { text(.compact) }
  /// The value with two spaces per level, and one member or element per line.
  public var pretty: String { text(.pretty) }
  /// The value as one line of ASCII.
  public var asciiText: String { text(JSONFormat(escaping: .ascii)) }
  /// The value as one line that is safe to print on a terminal.
  public var description: String { text(JSONFormat(escaping: .controls)) }

  /// Returns the value as JSON text. A `.number` that is not a JSON number is written as a string,
  /// so that the text can always be parsed.
  ///
  /// - Complexity: O(length of the text).
  public func text(_ format: JSONFormat) -> String {
    var bytes: [UInt8] = []
    write(to: &bytes, format)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the UTF-8 bytes of the text.
  public func write(to bytes: inout [UInt8], _ format: JSONFormat = .compact) {
    var level = 0
    walk { event in
      switch event {
      case .scalar(.null): bytes.append(contentsOf: "null".utf8)
      case .scalar(.bool(let value)): bytes.append(contentsOf: (value ? "true" : "false").utf8)
      case .scalar(.number(let literal)) where NumberLiteral.isValid(literal):
        bytes.append(contentsOf: literal.utf8)
      case .scalar(.number(let text)), .scalar(.string(let text)):
        Self.write(text, to: &bytes, format.escaping)
      case .scalar: break
      case .beginArray, .beginObject:
        if case .beginArray = event {
          bytes.append(UInt8(ascii: "["))
        } else {
          bytes.append(UInt8(ascii: "{"))
        }
        level += 1
      case .element(let isFirst):
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        Self.newLine(&bytes, format, level)
      case .key(let key, let isFirst):
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        Self.newLine(&bytes, format, level)
        Self.write(key, to: &bytes, format.escaping)
        bytes.append(UInt8(ascii: ":"))
        if format.indent != nil { bytes.append(0x20) }
      case .endArray(let isEmpty):
        level -= 1
        if !isEmpty { Self.newLine(&bytes, format, level) }
        bytes.append(UInt8(ascii: "]"))
      case .endObject(let isEmpty):
        level -= 1
        if !isEmpty { Self.newLine(&bytes, format, level) }
        bytes.append(UInt8(ascii: "}"))
      }
    }
  }

  private static func newLine(_ bytes: inout [UInt8], _ format: JSONFormat, _ level: Int) {
    guard let indent = format.indent else { return }
    bytes.append(0x0A)
    bytes.append(contentsOf: repeatElement(0x20, count: max(0, indent) * level))
  }

  private static func write(
    _ text: String, to bytes: inout [UInt8], _ escaping: JSONFormat.Escaping
  ) {
    bytes.append(UInt8(ascii: "\""))
    if text.isPlainJSON {
      bytes.append(contentsOf: text.utf8)
      bytes.append(UInt8(ascii: "\""))
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": bytes.append(contentsOf: #"\""#.utf8)
      case "\\": bytes.append(contentsOf: #"\\"#.utf8)
      case "\u{8}": bytes.append(contentsOf: #"\b"#.utf8)
      case "\u{C}": bytes.append(contentsOf: #"\f"#.utf8)
      case "\n": bytes.append(contentsOf: #"\n"#.utf8)
      case "\r": bytes.append(contentsOf: #"\r"#.utf8)
      case "\t": bytes.append(contentsOf: #"\t"#.utf8)
      default:
        if mustEscape(scalar, escaping) {
          for unit in String(scalar).utf16 { appendUnit(unit, to: &bytes) }
        } else {
          bytes.append(contentsOf: String(scalar).utf8)
        }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func mustEscape(_ scalar: Unicode.Scalar, _ escaping: JSONFormat.Escaping) -> Bool
  {
    if scalar.value < 0x20 { return true }
    return switch escaping {
    case .minimal: false
    case .ascii: scalar.value >= 0x7F
    case .controls:
      switch scalar.value {
      case 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
  }

  private static func appendUnit(_ unit: UInt16, to bytes: inout [UInt8]) {
    let digits = String(unit, radix: 16)
    bytes.append(contentsOf: #"\u"#.utf8)
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
    bytes.append(contentsOf: digits.utf8)
  }
}

extension String {
  /// Whether the text is unchanged in a JSON string, because it needs no escape.
  fileprivate var isPlainJSON: Bool {
    func isPlain(_ bytes: some Sequence<UInt8>) -> Bool {
      bytes.allSatisfy { byte in
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
      }
    }
    // A buffer takes a fifth of the time of a view.
    return utf8.withContiguousStorageIfAvailable { isPlain($0) } ?? isPlain(utf8)
  }
}
