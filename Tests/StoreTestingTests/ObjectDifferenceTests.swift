import SwiftBoardStore
import SwiftBoardTesting
import Testing

@Suite("Differences of objects")
struct ObjectDifferenceTests {
  class User: @unchecked Sendable {
    let name: String
    init(_ name: String) { self.name = name }
  }
  final class Admin: User, @unchecked Sendable { let level = 1 }

  @Test("the properties of superclasses, first")
  func inherited() {
    #expect(
      differenceText(of: Admin("a"), and: Admin("b")) == """
          Admin(
        -   name: "a",
        +   name: "b",
            … (1 unchanged)
          )
        """)
  }

  @Test("a test store does not overlook a change of an inherited property")
  func inheritedInStore() {
    struct State: Sendable { var user: User = Admin("a") }
    let failures = Failures()
    let store = TestStore(
      initialState: State(),
      reducer: Reduce<State, String, Void> { state, name in
        state.user = Admin(name)
        return []
      }, report: failures.report)
    store.send("b")
    #expect(failures.kinds == [.unexpectedChange])
    store.send("b")
    #expect(failures.kinds == [.unexpectedChange], "the object is another one, but equal")
  }

  final class Node {
    weak var parent: Node?
    var left: Node?
    var children: [Node] = []
    var number = 0

    static func family(_ count: Int, number: Int = 0) -> Node {
      let root = Node()
      root.children = (0..<count).map { _ in Node() }
      for child in root.children { child.parent = root }
      root.children.last?.number = number
      return root
    }
  }

  @Test("an object inside itself is shown by its distance")
  func cycle() throws {
    let text = differenceText(of: [Node.family(1)], and: [])
    try #require(
      text == """
          [
        -   Node(
        -     parent: nil,
        -     left: nil,
        -     children: [
        -       Node(parent: Node (1 up), left: nil, children: [], number: 0)
        -     ],
        -     number: 0
        -   )
          ]
        """)
    let (first, second) = (Node.family(50), Node.family(50, number: 1))
    #expect(differenceText(of: first, and: Node.family(50)) == nil)
    #expect(
      differenceText(of: first, and: second) == """
          Node(
            … (2 unchanged)
            children: [
              … (49 unchanged)
              Node(
                … (3 unchanged)
        -       number: 0
        +       number: 1
              )
            ],
            … (1 unchanged)
          )
        """)
  }

  @Test("a link to another of the enclosing objects is a difference")
  func otherCycle() {
    func chain(toRoot: Bool) -> [Node] {
      let nodes = [Node.family(0), Node.family(0), Node.family(0)]
      nodes[0].children = [nodes[1]]
      nodes[1].children = [nodes[2]]
      nodes[2].parent = nodes[toRoot ? 0 : 1]
      return nodes
    }
    let (first, second) = (chain(toRoot: false), chain(toRoot: true))
    let text = differenceText(of: first[0], and: second[0]) ?? ""
    #expect(text.contains("parent: Node (1 up),\n+ "), "\(text)")
    #expect(text.contains("parent: Node (2 up),"), "\(text)")
  }

  @Test("an object that is reached twice is the same as two equal objects")
  func shared() {
    let node = Node.family(2)
    #expect(differenceText(of: [node, node], and: [node, Node.family(2)]) == nil)
  }

  /// Levels of two nodes, each with links to both nodes of the next level.
  func diamond(_ levels: Int, number: Int = 0) -> Node {
    var next = [Node(), Node()]
    next[0].number = number
    for _ in 1..<levels {
      let level = [Node(), Node()]
      for node in level { node.children = next }
      next = level
    }
    return next[0]
  }

  @Test("a graph with very many paths is compared once an object, not once a path")
  func paths() throws {
    // 2 048 paths, which once were as many differences.
    let text = try #require(differenceText(of: diamond(12), and: diamond(12, number: 1)))
    try #require(text.split(separator: "\n").count < 100, "\(text.count)")
    #expect(text.contains("+") && text.contains("number: 1"))
    #expect(differenceText(of: diamond(15), and: diamond(15)) == nil)
    #expect(differenceText(of: [diamond(15)], and: [])?.contains("Node (object 3)") == true)
  }

  @Test("a doubly linked list in which every node is known")
  func links() {
    func list(_ number: Int) -> [Node] {
      let nodes = (0..<300).map { _ in Node() }
      for (node, next) in zip(nodes, nodes.dropFirst()) {
        node.left = next
        next.parent = node
      }
      nodes[299].number = number
      return nodes
    }
    let (first, second, same) = (list(1), list(2), list(1))
    #expect(differenceText(of: first, and: same) == nil)
    let lines = differenceText(of: first, and: second)?.split(separator: "\n") ?? []
    #expect(lines.contains { $0.hasSuffix("number: 2") })
    #expect(lines.count < 200, "\(lines.count)")
  }

  @Test("the order of a dictionary does not number the objects")
  func numbers() {
    let shared = diamond(15)
    let keys = (0..<100).map { "\($0)" }
    var other: [String: Node] = [:]
    other.reserveCapacity(10_000)
    for key in keys.reversed() { other[key] = shared }
    let first = Dictionary(uniqueKeysWithValues: keys.map { ($0, shared) })
    #expect(differenceText(of: first, and: other) == nil)
  }
}
