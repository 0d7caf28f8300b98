/// A pattern of `JSONPath`s, such as `api.*.answered.*.timing`, `rows[*].updated` or
/// `headers[name=date]`.
///
/// `*` is any member and `[*]` any element; each of them matches both. `[name=date]` is every
/// element with a member `name` that has this text, ignoring the case of ASCII letters. A text with
/// `]` is written as a JSON string. A key `*` is written `["*"]`.
public struct JSONPathPattern: Sendable, Hashable, CustomStringConvertible {
  /// A step from a value to the values inside it.
  public enum Step: Sendable, Hashable {
    /// The member with this key.
    case key(String)
    /// The element at this position, from 0.
    case index(Int)
    /// Every member and every element.
    case any
    /// Every element with this text at this key.
    case having(key: String, text: String)
  }

  /// The steps from the outermost value inwards. Without steps, the pattern matches the value
  /// itself.
  public var steps: [Step]

  /// Creates a pattern from its steps.
  public init(_ steps: [Step]) { self.steps = steps }

  /// Parses a pattern.
  ///
  /// - Throws: `JSONPathError` if the text is not a pattern.
  public init(parsing text: String) throws(JSONPathError) {
    steps = []
    var rest = text[...]
    while let first = rest.utf8.first {
      let offset = text.utf8.distance(from: text.startIndex, to: rest.startIndex)
      let end: String.Index
      if first == UInt8(ascii: "[") {
        end = try Self.end(ofBracket: rest, offset)
        let content = rest[rest.utf8.index(after: rest.startIndex)..<rest.utf8.index(before: end)]
        if content == "*" {
          steps.append(.any)
          rest = rest[end...]
          continue
        }
        if content.utf8.first != UInt8(ascii: "\""),
          let equals = content.utf8.firstIndex(of: UInt8(ascii: "="))
        {
          let value = content[content.utf8.index(after: equals)...]
          steps.append(
            .having(key: String(content[..<equals]), text: try Self.text(value, offset)))
          rest = rest[end...]
          continue
        }
      } else {
        let isAfterDot = first == UInt8(ascii: ".")
        if isAfterDot, !steps.isEmpty {
          rest = rest[rest.utf8.index(after: rest.startIndex)...]
        }
        end = rest.utf8.firstIndex(where: JSONPath.ends) ?? rest.endIndex
        if rest[..<end] == "*" {
          steps.append(.any)
          rest = rest[end...]
          continue
        }
        // A key after a bracket or another key has a dot before it.
        if !steps.isEmpty, !isAfterDot {
          throw JSONPathError(
            offset: offset,
            message: "found \(JSON.string(String(rest.prefix(1))).description) at position "
              + "\(offset + 1), expected '.' or '['")
        }
      }
      do throws(JSONPathError) {
        let path = try JSONPath(parsing: String(rest[..<end]))
        guard !path.steps.isEmpty else {
          throw JSONPathError(offset: 0, message: "expected a key at position \(offset + 1)")
        }
        steps += path.steps.map { step in
          switch step {
          case .key(let key): .key(key)
          case .index(let index): .index(index)
          }
        }
      } catch {
        throw JSONPathError(offset: offset + error.offset, message: error.message)
      }
      rest = rest[end...]
    }
  }

  /// Returns the position after the bracket that closes the first one of `text`.
  private static func end(
    ofBracket text: Substring, _ offset: Int
  ) throws(JSONPathError) -> String.Index {
    var (isQuoted, isEscaped) = (false, false)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text.utf8[index]
      text.utf8.formIndex(after: &index)
      switch byte {
      case _ where isEscaped: isEscaped = false
      case UInt8(ascii: "\\") where isQuoted: isEscaped = true
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: "]") where !isQuoted: return index
      default: break
      }
    }
    throw JSONPathError(
      offset: offset, message: "'[' at position \(offset + 1) has no ']' behind it")
  }

  private static func text(_ value: Substring, _ offset: Int) throws(JSONPathError) -> String {
    guard value.first == "\"" else { return String(value) }
    guard let text = (try? JSON(parsing: String(value)))?.stringValue else {
      throw JSONPathError(
        offset: offset,
        message: "what is in quotes behind position \(offset + 1) is not a JSON string"
      )
    }
    return text
  }

  /// A text that parses to the same pattern.
  public var description: String {
    var text = ""
    for step in steps {
      switch step {
      case .key("*"): text += "[\"*\"]"
      case .key(let key):
        let path = JSONPath([.key(key)]).description
        text += text.isEmpty || path.hasPrefix("[") ? path : "." + path
      case .index(let index): text += "[\(index)]"
      case .any: text += "[*]"
      case .having(let key, let value):
        text +=
          "[\(key)=\(value.contains { "\"]\\".contains($0) } ? "\(JSON.string(value))" : value)]"
      }
    }
    return text
  }
}

extension JSONPathPattern.Step {
  /// Returns whether the step matches a member.
  public func matches(key: String) -> Bool {
    switch self {
    case .key(let wanted): wanted == key
    case .any: true
    case .index, .having: false
    }
  }

  /// Returns whether the step matches an element.
  public func matches(index: Int, _ element: JSON) -> Bool {
    switch self {
    case .index(let wanted): wanted == index
    case .any: true
    case .having(let key, let text):
      element[key]?.stringValue.map { $0.lowercasedASCII == text.lowercasedASCII } ?? false
    case .key: false
    }
  }
}

extension String {
  fileprivate var lowercasedASCII: [UInt8] {
    utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}
