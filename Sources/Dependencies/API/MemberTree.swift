/// The members of a JSON body in their places.
///
/// As in HTTPie, a name may be a path: `a[b]` is the member `b` of the object `a`, `a[2]` the third
/// element of the array `a`, and `a[]` a further one. A `\` before `[`, `]` or `\` makes it text. A
/// `\` before a number in brackets makes it a key.
package struct MemberTree: Sendable {
  /// A value of the body.
  enum Node: Sendable {
    /// `null`, for an element before the index of another.
    case nothing
    /// The value of a member, by its ID.
    case value(Int)
    case object([(key: String, node: Node)])
    case array([Node])
  }

  /// The reason why members make no body.
  package struct Problem: Error, Sendable {
    package enum Reason: Sendable {
      case brackets, index, repeated
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

  /// The largest index of an element, since all elements before it are sent.
  private static let largestIndex = 9_999

  private enum Step {
    case key(String), index(Int), append
  }

  private(set) var root = Node.nothing

  /// Creates the tree of members in their order.
  package init(_ members: [(id: Int, name: String, isPath: Bool)]) throws(Problem) {
    for (id, name, isPath) in members {
      guard let steps = isPath ? Self.steps(of: name) : [.key(name)] else {
        throw Problem(reason: .brackets, member: id)
      }
      try Self.insert(id, steps[...], into: &root, at: "")
    }
  }

  private static func insert(
    _ id: Int, _ steps: ArraySlice<Step>, into node: inout Node, at place: String
  ) throws(Problem) {
    let rest = steps.dropFirst()
    switch (steps.first, node) {
    case (nil, .nothing): node = .value(id)
    case (nil, .value(let earlier)):
      throw Problem(reason: .repeated, member: id, earlier: earlier)
    case (.key(let key)?, .nothing), (.key(let key)?, .object):
      var entries: [(key: String, node: Node)] = []
      if case .object(let found) = node { entries = found }
      // Change the entries in place.
      node = .nothing
      let index = entries.firstIndex { $0.key == key } ?? entries.endIndex
      if index == entries.endIndex { entries.append((key, .nothing)) }
      try insert(
        id, rest, into: &entries[index].node, at: place.isEmpty ? key : "\(place)[\(key)]")
      node = .object(entries)
    case (.index?, .nothing), (.index?, .array), (.append?, .nothing), (.append?, .array):
      var elements: [Node] = []
      if case .array(let found) = node { elements = found }
      node = .nothing
      var index = elements.endIndex
      if case .index(let found)? = steps.first { index = found }
      guard index <= largestIndex else { throw Problem(reason: .index, member: id) }
      while elements.endIndex <= index { elements.append(.nothing) }
      try insert(id, rest, into: &elements[index], at: "\(place)[\(index)]")
      node = .array(elements)
    case (let step, _):
      let kind = step.map { if case .key = $0 { "an object" } else { "an array" } } ?? "a value"
      throw Problem(
        reason: .conflict(place: place, is: kind, was: node.kind), member: id,
        earlier: node.firstMember)
    }
  }

  /// Returns the steps of a path, or `nil` if its brackets do not match.
  private static func steps(of name: String) -> [Step]? {
    var rest = Array(name.unicodeScalars)[...]
    /// Takes the text before the next bracket.
    func text(mayBeNumber: Bool) -> (text: String, isNumber: Bool) {
      var text = String.UnicodeScalarView()
      var isNumber = mayBeNumber
      while let scalar = rest.first, scalar != "[", scalar != "]" {
        rest.removeFirst()
        let isEscaped: (Unicode.Scalar) -> Bool = {
          "[]\\".unicodeScalars.contains($0) || mayBeNumber && text.isEmpty && ("0"..."9") ~= $0
        }
        if scalar == "\\", let next = rest.first, isEscaped(next) {
          text.append(next)
          rest.removeFirst()
          isNumber = false
        } else {
          text.append(scalar)
        }
      }
      return (String(text), isNumber && text.allSatisfy { ("0"..."9") ~= $0 })
    }
    let first = text(mayBeNumber: false).text
    var steps: [Step] = first.isEmpty ? [] : [.key(first)]
    while let scalar = rest.popFirst() {
      guard scalar == "[" else { return nil }
      let (inner, isNumber) = text(mayBeNumber: true)
      guard rest.popFirst() == "]" else { return nil }
      steps.append(
        inner.isEmpty ? .append : isNumber ? .index(Int(inner) ?? .max) : .key(inner))
    }
    return steps
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

  /// The ID of the first member in it.
  fileprivate var firstMember: Int? {
    switch self {
    case .nothing: nil
    case .value(let id): id
    case .object(let entries): entries.lazy.compactMap(\.node.firstMember).first
    case .array(let elements): elements.lazy.compactMap(\.firstMember).first
    }
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
    case .index: "the index in the name of \(item) is above 9999"
    case .repeated: "\(earlier) and \(item) are the same member of the JSON body"
    case .conflict(let place, let kind, let earlierKind):
      "\(item) makes \(place.isEmpty ? "the body" : "'\(place)'") \(kind), and \(earlier) "
        + earlierKind
    }
  }
}
