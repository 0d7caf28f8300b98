/// What lies in stock, and how much of it.
public struct Shelf: Sendable {
  private var amounts: [String: Int]

  public init(_ amounts: [String: Int]) {
    self.amounts = amounts
  }

  /// `nil` where there is nothing of that name.
  public func amount(of name: String) -> Int? { amounts[name] }
}
