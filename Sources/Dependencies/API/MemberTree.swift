import SwiftBoardJSON

/// The members of a JSON body in their places.
///
/// A name may be a path, in the syntax of HTTPie: `a[b]` is the member `b` of the object `a`,
/// `a[2]` the third element of the array `a`, and `a[]` a further one. A `\` before `[`, `]` or `\`
/// makes it text. A `\` before a number in brackets makes it a key. A path begins with a key, an
/// element or `[]`.
///
/// A path has at most as many steps as JSON has levels, since the tree is visited recursively.
package struct MemberTree: Sendable {
  /// A value of the body.
  enum Node: Sendable {
    /// `null`, for an element before the index of another.
    case nothing
    /// The value of a member, by its ID.
    case value(Int)
    case object(Object)
    case array([Node])
  }

  /// An object whose entries keep their order.
  struct Object: Sendable {
    private(set) var entries: [(key: String, node: Node)] = []
    /// By the keys' bytes, since keys with equal characters may be different members.
    private var indexes: [ByteText: Int] = [:]

    /// Returns the index of the entry with a key, which is added if there is none.
    fileprivate mutating func index(of key: String) -> Int {
      if let index = indexes[ByteText(key)] { return index }
      indexes[ByteText(key)] = entries.endIndex
      entries.append((key, .nothing))
      return entries.endIndex - 1
    }

    fileprivate subscript(index: Int) -> Node {
      get { entries[index].node }
      _modify { yield &entries[index].node }
    }
  }

  /// The reason why members make no body.
  package struct Problem: Error, Sendable {
    package enum Reason: Sendable {
      case brackets, steps, negative, firstKey, skipped, repeated
      /// The member makes a place a value, an object or an array, and an earlier one another of
      /// these.
      case conflict(place: String, is: String, was: String)
    }

    package var reason: Reason
    /// The ID of the member.
    package var member: Int
    /// The ID of an earlier member at the same place.
    package var earlier: Int?
  }

  /// The largest number of elements that indexes skip in the whole body, since each is sent.
  fileprivate static let mostSkipped = 9_999

  private enum Step {
    case key(String), index(Int), append
  }

  private(set) var root = Node.nothing
  private var skipped = 0

  /// Creates the tree of members in their order.
  package init(_ members: [(id: Int, name: String, isPath: Bool)]) throws(Problem) {
    for (id, name, isPath) in members {
      var steps = isPath ? try Self.steps(of: name, id) : [.key(name)]
      try Self.insert(id, &steps, at: 0, into: &root, &skipped)
    }
  }

  /// - Parameter steps: The path of the member. The index of a further element replaces its `[]`.
  private static func insert(
    _ id: Int, _ steps: inout [Step], at depth: Int, into node: inout Node, _ skipped: inout Int
  ) throws(Problem) {
    func conflict(_ kind: String) -> Problem {
      Problem(
        reason: .conflict(place: text(of: steps[..<depth]), is: kind, was: node.kind), member: id,
        earlier: node.firstMember)
    }
    switch depth < steps.endIndex ? steps[depth] : nil {
    case nil:
      if case .value(let earlier) = node {
        throw Problem(reason: .repeated, member: id, earlier: earlier)
      }
      guard case .nothing = node else { throw conflict("a value") }
      node = .value(id)
    case .key(let key)?:
      guard var object = node.takeObject() else { throw conflict("an object") }
      let index = object.index(of: key)
      try insert(id, &steps, at: depth + 1, into: &object[index], &skipped)
      node = .object(object)
    case let step?:
      guard var elements = node.takeArray() else { throw conflict("an array") }
      var index = elements.endIndex
      if case .index(let found) = step { index = found }
      steps[depth] = .index(index)
      let added = max(index - elements.endIndex, 0)
      guard added <= mostSkipped - skipped else { throw Problem(reason: .skipped, member: id) }
      skipped += added
      while elements.endIndex <= index { elements.append(.nothing) }
      try insert(id, &steps, at: depth + 1, into: &elements[index], &skipped)
      node = .array(elements)
    }
  }

  private static func text(of steps: ArraySlice<Step>) -> String {
    var text = ""
    for step in steps {
      switch step {
      case .key(let key): text += text.isEmpty ? key : "[\(key)]"
      case .index(let index): text += "[\(index)]"
      case .append: text += "[]"
      }
    }
    return text
  }

  /// Returns the steps of a path, which is the name of a member.
  private static func steps(of name: String, _ id: Int) throws(Problem) -> [Step] {
    var rest = Array(name.unicodeScalars)[...]
    /// Takes the text before the next bracket, and whether it is a number without a `\`.
    func text() -> (text: String, isNumber: Bool) {
      var text = String.UnicodeScalarView()
      var isEscaped = false
      while let scalar = rest.first, scalar != "[", scalar != "]" {
        rest.removeFirst()
        if scalar == "\\", let next = rest.first, "[]\\".unicodeScalars.contains(next) {
          text.append(next)
          rest.removeFirst()
          isEscaped = true
        } else {
          text.append(scalar)
        }
      }
      return (String(text), !isEscaped && isNumber(text[...]))
    }
    let first = text().text
    var steps: [Step] = first.isEmpty ? [] : [.key(first)]
    while let scalar = rest.popFirst() {
      guard scalar == "[" else { throw Problem(reason: .brackets, member: id) }
      let (inner, isNumber) = text()
      guard rest.popFirst() == "]" else { throw Problem(reason: .brackets, member: id) }
      guard steps.count < JSONLimits.default.depth else {
        throw Problem(reason: .steps, member: id)
      }
      if inner.isEmpty {
        steps.append(.append)
      } else if isNumber {
        guard !inner.hasPrefix("-") else { throw Problem(reason: .negative, member: id) }
        steps.append(.index(Int(inner) ?? .max))
      } else if steps.isEmpty {
        throw Problem(reason: .firstKey, member: id)
      } else {
        let scalars = inner.unicodeScalars
        let isEscaped = scalars.first == "\\" && Self.isNumber(scalars.dropFirst())
        steps.append(.key(isEscaped ? String(scalars.dropFirst()) : inner))
      }
    }
    return steps
  }

  /// Returns whether a text is digits, with a sign if negative.
  private static func isNumber(_ text: Substring.UnicodeScalarView) -> Bool {
    let digits = text.first == "-" ? text.dropFirst() : text
    return !digits.isEmpty && digits.allSatisfy { ("0"..."9") ~= $0 }
  }
}

extension MemberTree.Node {
  fileprivate var kind: String {
    switch self {
    case .nothing, .value: "a value"
    case .object: "an object"
    case .array: "an array"
    }
  }

  /// Takes the object out of the node, so that it is changed in place, or returns `nil` if it is
  /// something else.
  fileprivate mutating func takeObject() -> MemberTree.Object? {
    switch self {
    case .nothing: return MemberTree.Object()
    case .object(let object):
      self = .nothing
      return object
    case .value, .array: return nil
    }
  }

  /// As `takeObject`, for an array.
  fileprivate mutating func takeArray() -> [Self]? {
    switch self {
    case .nothing: return []
    case .array(let elements):
      self = .nothing
      return elements
    case .value, .object: return nil
    }
  }

  /// The ID of the first member in it.
  fileprivate var firstMember: Int? {
    switch self {
    case .nothing: nil
    case .value(let id): id
    case .object(let object): Self.firstMember(in: object.entries.lazy.map(\.node))
    case .array(let elements): Self.firstMember(in: elements)
    }
  }

  // `compactMap(_:).first` of a lazy sequence visits each node twice.
  private static func firstMember(in nodes: some Sequence<Self>) -> Int? {
    for node in nodes {
      if let member = node.firstMember { return member }
    }
    return nil
  }
}

extension MemberTree.Problem {
  /// Returns what is wrong, for users, in one line.
  ///
  /// - Parameter shown: Returns a member as its user has written it.
  package func message(_ shown: (Int) -> String) -> String {
    let (item, earlier) = ("'\(shown(member))'", earlier.map { "'\(shown($0))'" } ?? "another")
    return switch reason {
    case .brackets: "the brackets in the name of \(item) do not match"
    case .steps:
      "the path '\(shown(member).prefix(40))...' has more than \(JSONLimits.default.depth) steps"
    case .negative: "the index in the name of \(item) is negative"
    case .firstKey: "the first brackets in the name of \(item) have a key"
    case .skipped:
      "the indexes up to \(item) skip more than \(MemberTree.mostSkipped) elements"
    case .repeated: "\(earlier) and \(item) are the same member of the JSON body"
    case .conflict(let place, let kind, let earlierKind):
      "\(item) makes \(place.isEmpty ? "the body" : "'\(place)'") \(kind), and \(earlier) "
        + earlierKind
    }
  }
}
