/// A path to a case of an enum, which creates the case and extracts its value.
///
/// ```swift
/// extension CasePath where Root == Board.Action, Value == Counter.Action {
///   static var counter: Self {
///     CasePath(embed: Board.Action.counter) { if case .counter(let a) = $0 { a } else { nil } }
///   }
/// }
/// ```
///
/// The same type is used for actions and for states that are enums: `modify` changes the value of a
/// case in place.
public struct CasePath<Root: Sendable, Value: Sendable>: Sendable {
  /// Creates the case with a value. This is the enum case itself.
  public let embed: @Sendable (Value) -> Root
  /// Returns the value of the case, or `nil` for another case. Called for every action, so it
  /// should match only one pattern.
  public let extract: @Sendable (Root) -> Value?

  /// Creates a path from two functions, which must agree: `extract(embed(value))` returns `value`.
  /// Allocates nothing except the captures of the closures.
  @inlinable @inline(__always)
  public init(
    embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?
  ) {
    self.embed = embed
    self.extract = extract
  }

  /// Creates a path from two functions, where it is used.
  ///
  /// ```swift
  /// enum Action {
  ///   case counter(Counter.Action)
  ///   var counter: Counter.Action? { if case .counter(let action) = self { action } else { nil } }
  /// }
  ///
  /// Scope(state: \.counter, action: .case(Action.counter, \.counter)) { Counter() }
  /// ```
  /// - Parameters:
  ///   - embed: The enum case itself.
  ///   - extract: A property of the enum, or an equivalent closure:
  ///     `{ if case .counter(let action) = $0 { action } else { nil } }`.
  @inlinable @inline(__always)
  public static func `case`(
    _ embed: @escaping @Sendable (Value) -> Root, _ extract: @escaping @Sendable (Root) -> Value?
  ) -> Self {
    CasePath(embed: embed, extract: extract)
  }

  /// Returns whether `root` is in this case.
  @inlinable
  public func matches(_ root: Root) -> Bool { extract(root) != nil }

  /// Changes the value of the case in place. `root` stays in this case.
  ///
  /// The value is removed from `root` during the change, so that there is never a second reference
  /// to its storage. An array in the value is therefore changed in place, whatever its length.
  ///
  /// - Returns: The result of `change`, or `nil` if `root` is in another case; nothing is changed
  ///   then.
  /// - Complexity: O(1), no allocation unless the case is `indirect`.
  @inlinable
  @discardableResult
  public func modify<Result>(_ root: inout Root, _ change: (inout Value) -> Result) -> Result? {
    withUnsafeMutablePointer(to: &root) { place in
      guard var value = extract(place.pointee) else { return nil }
      // Releases the enum's reference. No code can observe the memory in the meantime, because the
      // access to `root` is exclusive and `change` cannot throw.
      place.deinitialize(count: 1)
      defer { place.initialize(to: embed(value)) }
      return change(&value)
    }
  }

  /// Returns a path to a case inside the value of this case. Creating it allocates two closures.
  /// Each use costs both paths.
  @inlinable
  public func appending<Inner>(_ inner: CasePath<Value, Inner>) -> CasePath<Root, Inner> {
    CasePath<Root, Inner>(embed: { embed(inner.embed($0)) }) { extract($0).flatMap(inner.extract) }
  }
}
