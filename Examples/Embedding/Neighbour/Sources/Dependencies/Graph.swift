/// Which things need which others.
public struct Graph: Sendable {
  private var needs: [String: [String]]

  public init(_ needs: [String: [String]]) {
    self.needs = needs
  }

  /// What `name` needs, directly or not, each before what needs it, and `name` last. A circle is
  /// cut where it closes.
  public func order(upTo name: String) -> [String] {
    var visited: Set<String> = []
    var order: [String] = []
    func visit(_ name: String) {
      guard visited.insert(name).inserted else { return }
      for need in needs[name] ?? [] { visit(need) }
      order.append(name)
    }
    visit(name)
    return order
  }
}
