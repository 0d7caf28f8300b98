/// A value as a tree of its parts, created with `Mirror`. Failure messages and printed changes use
/// it.
package struct ValueTree: Hashable {
  /// The structure of a value.
  package enum Shape: Hashable {
    case leaf
    /// A struct, a class, a tuple, or a case with a payload: parts with names, in order.
    case parts
    /// Parts in order, which may have names.
    case list
    /// A dictionary or a set. The order is not significant.
    case unordered
  }

  /// A part of a value.
  package struct Part: Hashable {
    /// The name of the part, or `nil` if it has none.
    package let label: String?
    /// The value of the part.
    package let tree: ValueTree
  }

  /// The structure of the value.
  package let shape: Shape
  /// The name of the type or of the case, or an empty string for a list.
  package let name: String
  /// The description of the value, which is all that a leaf has.
  package let text: String?
  /// The parts of the value, in order.
  package let parts: [Part]

  /// Creates a tree of a value.
  ///
  /// - Parameters:
  ///   - depth: The maximum depth of the tree. Deeper values are represented by their descriptions.
  ///   - isComplete: Whether the tree includes the parts that mirrors omit; see `PartlyMirrored`.
  package init(_ value: Any, depth: Int = 32, isComplete: Bool = false) {
    let mirror = Mirror(reflecting: value)
    let children = Array(mirror.children)
    guard depth > 0 else {
      self.init(leaf: value)
      return
    }
    switch mirror.displayStyle {
    case .optional:
      if let some = children.first {
        self.init(some.value, depth: depth, isComplete: isComplete)
      } else {
        self.init(shape: .leaf, name: "", text: "nil", parts: [])
      }
    case .collection:
      let rest = isComplete ? (value as? any PartlyMirrored)?.unmirrored ?? [] : []
      self.init(
        shape: .list, name: "", text: nil,
        parts: (children + rest).map {
          Part(label: $0.label, tree: ValueTree($0.value, depth: depth - 1, isComplete: isComplete))
        })
    case .set:
      self.init(unordered: Self.parts(children, depth: depth, isComplete: isComplete))
    case .dictionary:
      self.init(
        unordered: children.map { child in
          let pair = Array(Mirror(reflecting: child.value).children)
          guard pair.count == 2 else {
            return Part(
              label: nil, tree: ValueTree(child.value, depth: depth - 1, isComplete: isComplete))
          }
          return Part(
            label: ValueTree(pair[0].value, depth: depth - 1, isComplete: isComplete).oneLine,
            tree: ValueTree(pair[1].value, depth: depth - 1, isComplete: isComplete))
        })
    case .enum:
      guard let payload = children.first else {
        self.init(leaf: value)
        return
      }
      self.init(enumCase: payload, depth: depth, isComplete: isComplete)
    case .tuple:
      self.init(
        shape: .parts, name: "", text: nil,
        parts: Self.parts(children, depth: depth, isComplete: isComplete))
    default:
      if let bytes = Self.bytes(value, children) {
        self.init(bytes: bytes)
        return
      }
      guard !children.isEmpty else {
        self.init(leaf: value)
        return
      }
      self.init(
        shape: .parts, name: String(describing: mirror.subjectType),
        text: (value as? any CustomStringConvertible)?.description,
        parts: Self.parts(children, depth: depth, isComplete: isComplete))
    }
  }

  private init(shape: Shape, name: String, text: String?, parts: [Part]) {
    self.shape = shape
    self.name = name
    self.text = text
    self.parts = parts
  }

  /// Returns the elements of a collection of bytes whose mirror has an address in place of them,
  /// such as `Data`.
  private static func bytes(_ value: Any, _ children: [Mirror.Child]) -> [UInt8]? {
    guard let collection = value as? any Collection,
      children.contains(where: { $0.value is UnsafeRawPointer })
    else { return nil }
    return bytes(collection)
  }

  private static func bytes(_ collection: some Collection) -> [UInt8]? {
    collection.first is UInt8 ? collection.compactMap { $0 as? UInt8 } : nil
  }

  /// Creates a list of rows of 16 bytes in hexadecimal.
  private init(bytes: [UInt8]) {
    let rows = stride(from: 0, to: bytes.count, by: 16).map { start in
      bytes[start..<min(start + 16, bytes.count)].map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined(separator: " ")
    }
    self.init(
      shape: .list, name: "", text: nil,
      parts: rows.map {
        Part(label: nil, tree: ValueTree(shape: .leaf, name: "", text: $0, parts: []))
      })
  }

  private init(leaf value: Any) {
    let text =
      value is String || value is Character || value is Substring
      ? String(reflecting: value) : String(describing: value)
    self.init(shape: .leaf, name: "", text: text, parts: [])
  }

  private init(unordered parts: [Part]) {
    let sorted = parts.map { (key: $0.label ?? $0.tree.oneLine, part: $0) }
      .sorted { $0.key < $1.key }
    self.init(shape: .unordered, name: "", text: nil, parts: sorted.map(\.part))
  }

  private init(enumCase payload: Mirror.Child, depth: Int, isComplete: Bool) {
    let mirror = Mirror(reflecting: payload.value)
    let values = mirror.displayStyle == .tuple ? Array(mirror.children) : [(nil, payload.value)]
    self.init(
      shape: .parts, name: payload.label ?? "", text: nil,
      parts: Self.parts(values, depth: depth, isComplete: isComplete))
  }

  private static func parts(
    _ children: [Mirror.Child], depth: Int, isComplete: Bool
  ) -> [Part] {
    children.map { child in
      // Tuple elements without a name are called .0, .1 and so on.
      let label = child.label.flatMap { $0.hasPrefix(".") ? nil : $0 }
      return Part(
        label: label, tree: ValueTree(child.value, depth: depth - 1, isComplete: isComplete))
    }
  }

  /// The whole value on one line.
  package var oneLine: String {
    switch shape {
    case .leaf: return text ?? name
    case .parts:
      if let text { return text }
      return name + "(" + inner + ")"
    case .list, .unordered: return "[" + inner + "]"
    }
  }

  private var inner: String {
    parts.map { ($0.label.map { $0 + ": " } ?? "") + $0.tree.oneLine }.joined(separator: ", ")
  }

  /// The text before the parts.
  package var opening: String { shape == .parts ? name + "(" : "[" }
  /// The text after the parts.
  package var closing: String { shape == .parts ? ")" : "]" }
}

/// A list whose mirror omits parts that distinguish two lists.
package protocol PartlyMirrored {
  /// The parts, with their names.
  var unmirrored: [Mirror.Child] { get }
}
