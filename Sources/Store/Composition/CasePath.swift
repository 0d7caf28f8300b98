/// Names a case of an enum: how to make it, and how to look inside.
///
/// ```swift
/// extension CasePath where Root == Board.Action, Value == Counter.Action {
///   static var counter: Self {
///     CasePath(embed: Board.Action.counter) { if case .counter(let a) = $0 { a } else { nil } }
///   }
/// }
/// ```
///
/// The same value serves actions and states that are enums: `modify` changes what a case holds in
/// place.
public struct CasePath<Root: Sendable, Value: Sendable>: Sendable {
  /// Creates the case around a value: the enum case itself.
  public let embed: @Sendable (Value) -> Root
  /// The value inside, or `nil` if it is another case. Called for every action: keep it to one
  /// pattern.
  public let extract: @Sendable (Root) -> Value?

  /// A path from both directions, which must agree: `extract(embed(value))` is `value` again.
  /// Allocates nothing but what the closures capture.
  @inlinable
  @inline(__always)
  public init(
    embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?
  ) {
    self.embed = embed
    self.extract = extract
  }

  /// A path from both directions, in the place where it is used.
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
  ///   - extract: A property of the enum, or a closure that does the same:
  ///     `{ if case .counter(let action) = $0 { action } else { nil } }`.
  @inlinable
  @inline(__always)
  public static func `case`(
    _ embed: @escaping @Sendable (Value) -> Root, _ extract: @escaping @Sendable (Root) -> Value?
  ) -> Self {
    CasePath(embed: embed, extract: extract)
  }

  /// Whether `root` is of this case.
  @inlinable
  public func matches(_ root: Root) -> Bool { extract(root) != nil }

  /// Changes what the case holds in place. `root` stays of this case.
  ///
  /// The value is taken out before it is changed, so that there is never a second reference to what
  /// it refers to: an array of any length inside is changed where it is.
  ///
  /// - Returns: What `change` returns; `nil` if `root` is of another case, and then nothing
  ///   changed.
  /// - Complexity: O(1), no allocation unless the case is `indirect`.
  @inlinable
  @discardableResult
  public func modify<Result>(_ root: inout Root, _ change: (inout Value) -> Result) -> Result? {
    withUnsafeMutablePointer(to: &root) { place in
      guard var value = extract(place.pointee) else { return nil }
      // Ends the reference that the enum holds. The memory is not observed meanwhile: the access to
      // `root` is exclusive, and `change` cannot throw.
      place.deinitialize(count: 1)
      defer { place.initialize(to: embed(value)) }
      return change(&value)
    }
  }

  /// What is inside a case inside this case. Each use costs both, one after the other; making it
  /// allocates two closures.
  @inlinable
  public func appending<Inner>(_ inner: CasePath<Value, Inner>) -> CasePath<Root, Inner> {
    CasePath<Root, Inner>(embed: { embed(inner.embed($0)) }) { extract($0).flatMap(inner.extract) }
  }
}
