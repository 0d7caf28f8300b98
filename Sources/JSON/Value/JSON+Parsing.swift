extension JSON {
  /// Parses a JSON text strictly by RFC 8259: no comments, trailing commas, BOM or NaN.
  ///
  /// - Complexity: O(length of the text).
  public init(parsing text: String, limits: JSONLimits = .default) throws(JSONError) {
    var text = text
    let result = text.withUTF8 { bytes in Self.parse(bytes, limits) }
    self = try result.get()
  }

  /// Parses a JSON text from its UTF-8 bytes: `[UInt8]`, `Data`, `UnsafeRawBufferPointer`, a
  /// string's `utf8`, and slices of them. Throws if the bytes are not valid UTF-8.
  ///
  /// - Complexity: O(length of the text). A collection that is not contiguous is copied first.
  public init(
    parsing utf8: some Collection<UInt8>, limits: JSONLimits = .default
  ) throws(JSONError) {
    let direct = utf8.withContiguousStorageIfAvailable { bytes in Self.parse(bytes, limits) }
    self =
      try (direct ?? Array(utf8).withUnsafeBufferPointer { bytes in Self.parse(bytes, limits) })
      .get()
  }

  /// Checks that a text is JSON, as parsing it would, without creating a value.
  ///
  /// - Complexity: O(length of the text).
  public static func validate(
    _ text: String, limits: JSONLimits = .default
  ) throws(JSONError) {
    var text = text
    let result: Result<Void, JSONError> = text.withUTF8 { bytes in
      do throws(JSONError) {
        _ = try JSONTokenizer.tape(of: bytes, limits: limits)
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  private static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits
  ) -> Result<JSON, JSONError> {
    do throws(JSONError) {
      let tape = try JSONTokenizer.tape(of: bytes, limits: limits)
      return .success(JSON(token: 0, of: tape.tokens, in: bytes))
    } catch {
      return .failure(error)
    }
  }

  /// Creates the value that begins at a token. Iterative; see `walk`.
  init(
    token root: Int, of tokens: UnsafeMutablePointer<JSONToken>,
    in bytes: UnsafeBufferPointer<UInt8>
  ) {
    var open: [OpenContainer] = []
    var index = root
    while true {
      let token = tokens[index]
      var value: JSON
      switch token.kind {
      case .null: value = .null
      case .no: value = .bool(false)
      case .yes: value = .bool(true)
      case .number: value = .number(String(decoding: bytes.slice(token), as: UTF8.self))
      case .string: value = .string(bytes.string(token))
      case .array:
        open.append(OpenContainer(token: index))
        value = .array([])
      case .object:
        open.append(OpenContainer(token: index))
        value = .object([])
      }
      // Add completed values to the open value around them.
      var isWhole = token.kind != .array && token.kind != .object
      index += 1
      while true {
        guard let innermost = open.indices.last else {
          self = value
          return
        }
        let container = tokens[open[innermost].token]
        if isWhole { open[innermost].add(value, container) }
        guard index == Int(container.next) else {
          if container.kind == .object {
            open[innermost].members.append(Member(bytes.string(tokens[index]), .null))
            index += 1
          }
          break
        }
        value = open.removeLast().value(container)
        isWhole = true
      }
    }
  }

  /// The part that was read of an array or object.
  private struct OpenContainer {
    let token: Int
    private var elements: [JSON] = []
    var members: [Member] = []

    init(token: Int) { self.token = token }

    /// Adds an element, or the value of the last member.
    mutating func add(_ value: JSON, _ container: JSONToken) {
      if container.kind == .array {
        elements.append(value)
      } else {
        members[members.count - 1].value = value
      }
    }

    consuming func value(_ container: JSONToken) -> JSON {
      if container.kind == .array {
        .array(elements)
      } else if container.flags.contains(.duplicates) {
        .object(JSON.keepingLast(members))
      } else {
        .object(members)
      }
    }
  }

  /// Removes all but the last of equal keys. Compares keys by their bytes, since `String` treats
  /// composed and decomposed letters as equal.
  private static func keepingLast(_ members: [Member]) -> [Member] {
    var positions: [[UInt8]: Int] = [:]
    var kept: [Member] = []
    for member in members {
      let key = Array(member.key.utf8)
      if let position = positions[key] {
        kept[position] = member
      } else {
        positions[key] = kept.count
        kept.append(member)
      }
    }
    return kept
  }
}
