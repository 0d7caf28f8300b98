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
    /// The name of the part, or the description of a dictionary's key, or `nil` if it has none.
    package let label: String?
    /// All members of a dictionary's key, since different keys may have equal descriptions.
    package var key: String?
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
  /// An object that contains itself is a leaf at the inner place. An object that is reached on
  /// several paths is a part of each of them, as equal values are. If this would repeat more than
  /// 1 000 objects, each object is expanded only once, since the number of paths of a graph may be
  /// exponential.
  ///
  /// - Parameter isComplete: Whether the tree includes the parts that mirrors omit; see
  ///   `PartlyMirrored`.
  package init(_ value: Any, isComplete: Bool = false) {
    let reflection = Reflection(isComplete: isComplete, expandsOnce: false)
    let tree = reflection.tree(value)
    guard reflection.isOverLimit else {
      self = tree
      return
    }
    self = Reflection(isComplete: isComplete, expandsOnce: true).tree(value)
  }

  fileprivate init(shape: Shape, name: String = "", text: String? = nil, parts: [Part] = []) {
    self.shape = shape
    self.name = name
    self.text = text
    self.parts = parts
  }

  fileprivate init(leaf value: Any) {
    let isQuoted = value is String || value is Character || value is Substring
    self.init(shape: .leaf, text: isQuoted ? String(reflecting: value) : String(describing: value))
  }

  /// Creates a tree of parts without a significant order. They are sorted by their descriptions,
  /// and equal descriptions by all members, so that equal sets have equal trees.
  fileprivate init(unordered parts: [Part]) {
    func whole(_ part: Part) -> String { (part.key ?? "") + "\n" + part.tree.line(isWhole: true) }
    let sorted = parts.map { (text: $0.label ?? $0.tree.oneLine, part: $0) }
      .sorted { $0.text == $1.text ? whole($0.part) < whole($1.part) : $0.text < $1.text }
    self.init(shape: .unordered, parts: sorted.map(\.part))
  }

  /// The whole value on one line.
  package var oneLine: String { line(isWhole: false) }

  /// Returns the value on one line.
  ///
  /// - Parameter isWhole: Whether values with descriptions are followed by their members.
  fileprivate func line(isWhole: Bool) -> String {
    if let text, !isWhole || shape == .leaf { return text }
    let inner = parts.map { part in
      let label = isWhole ? part.key ?? part.label : part.label
      return (label.map { $0 + ": " } ?? "") + part.tree.line(isWhole: isWhole)
    }
    return (text ?? "") + opening + inner.joined(separator: ", ") + closing
  }

  /// The text before the parts.
  package var opening: String { shape == .parts ? name + "(" : "[" }
  /// The text after the parts.
  package var closing: String { shape == .parts ? ")" : "]" }
}

/// Creates the tree of one value with mirrors.
private final class Reflection {
  private let isComplete: Bool
  /// Whether an object is expanded only at the first place where it is reached.
  private let expandsOnce: Bool
  /// The objects that contain the current value, the innermost last.
  private var path: [ObjectIdentifier] = []
  /// The expanded objects, by number. They are retained, since a mirror may have created them and
  /// the identifier of a released object may be reused.
  private var known: [ObjectIdentifier: (number: Int, object: AnyObject)] = [:]
  private var repeats = 0

  init(isComplete: Bool, expandsOnce: Bool) {
    self.isComplete = isComplete
    self.expandsOnce = expandsOnce
  }

  /// Whether so many objects were repeated that the tree is not complete.
  var isOverLimit: Bool { repeats > 1_000 }

  /// Returns the tree of a value.
  ///
  /// - Parameter depth: The maximum depth of the tree. Deeper values are represented by their
  ///   descriptions.
  func tree(_ value: Any, depth: Int = 32) -> ValueTree {
    let mirror = Mirror(reflecting: value)
    let children = Self.children(mirror)
    guard depth > 0, !isOverLimit else { return ValueTree(leaf: value) }
    guard type(of: value) is AnyObject.Type, !children.isEmpty else {
      return tree(value, mirror, children, depth)
    }
    let object = value as AnyObject
    let id = ObjectIdentifier(object)
    // Without addresses, which would distinguish equal values.
    let place =
      expandsOnce
      ? known[id].map { "object \($0.number)" }
      : path.lastIndex(of: id).map { "\(path.count - 1 - $0) up" }
    if let place { return ValueTree(shape: .leaf, text: "\(mirror.subjectType) (\(place))") }
    if known[id] == nil { known[id] = (known.count + 1, object) } else { repeats += 1 }
    path.append(id)
    defer { path.removeLast() }
    return tree(value, mirror, children, depth)
  }

  private func tree(
    _ value: Any, _ mirror: Mirror, _ children: [Mirror.Child], _ depth: Int
  ) -> ValueTree {
    switch mirror.displayStyle {
    case .optional:
      return children.first.map { tree($0.value, depth: depth) }
        ?? ValueTree(shape: .leaf, text: "nil")
    case .collection:
      let rest = isComplete ? (value as? any PartlyMirrored)?.unmirrored ?? [] : []
      return ValueTree(
        shape: .list,
        parts: (children + rest).map {
          ValueTree.Part(label: $0.label, tree: tree($0.value, depth: depth - 1))
        })
    case .set: return ValueTree(unordered: parts(children, depth))
    case .dictionary:
      let pairs = children.map { child in
        let pair = Array(Mirror(reflecting: child.value).children)
        guard pair.count == 2 else { return (key: ValueTree?.none, whole: "", value: child.value) }
        let key = tree(pair[0].value, depth: depth - 1)
        return (key, key.line(isWhole: true), pair[1].value)
      }
      // In an order of their own, since the numbers of objects depend on it.
      return ValueTree(
        unordered: pairs.sorted { $0.whole < $1.whole }.map { pair in
          ValueTree.Part(
            label: pair.key?.oneLine, key: pair.key.map { _ in pair.whole },
            tree: tree(pair.value, depth: depth - 1))
        })
    case .enum:
      guard let payload = children.first else { return ValueTree(leaf: value) }
      let inner = Mirror(reflecting: payload.value)
      let values = inner.displayStyle == .tuple ? Array(inner.children) : [(nil, payload.value)]
      return ValueTree(shape: .parts, name: payload.label ?? "", parts: parts(values, depth))
    case .tuple: return ValueTree(shape: .parts, parts: parts(children, depth))
    default:
      if let bytes = Self.bytes(value, children) { return Self.rows(bytes) }
      guard !children.isEmpty else { return ValueTree(leaf: value) }
      return ValueTree(
        shape: .parts, name: String(describing: mirror.subjectType),
        text: (value as? any CustomStringConvertible)?.description, parts: parts(children, depth))
    }
  }

  private func parts(_ children: [Mirror.Child], _ depth: Int) -> [ValueTree.Part] {
    children.map { child in
      // Tuple elements without a name are called .0, .1 and so on.
      let label = child.label.flatMap { $0.hasPrefix(".") ? nil : $0 }
      return ValueTree.Part(label: label, tree: tree(child.value, depth: depth - 1))
    }
  }

  /// Returns the children of a mirror, those of superclasses first.
  private static func children(_ mirror: Mirror) -> [Mirror.Child] {
    (mirror.superclassMirror.map(children) ?? []) + mirror.children
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

  /// Returns a list of rows of 16 bytes in hexadecimal.
  private static func rows(_ bytes: [UInt8]) -> ValueTree {
    let rows = stride(from: 0, to: bytes.count, by: 16).map { start in
      bytes[start..<min(start + 16, bytes.count)].map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }.joined(separator: " ")
    }
    return ValueTree(
      shape: .list,
      parts: rows.map { ValueTree.Part(label: nil, tree: ValueTree(shape: .leaf, text: $0)) })
  }
}

/// A list whose mirror omits parts that distinguish two lists.
package protocol PartlyMirrored {
  /// The parts, with their names.
  var unmirrored: [Mirror.Child] { get }
}
