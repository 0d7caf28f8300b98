/// Names a case of an enum: how to make it, and how to look inside.
///
/// ```swift
/// extension CasePath where Root == Board.Action, Value == Counter.Action {
///   static var counter: Self {
///     CasePath(embed: Board.Action.counter) { if case .counter(let a) = $0 { a } else { nil } }
///   }
/// }
/// ```
public struct CasePath<Root: Sendable, Value: Sendable>: Sendable {
  /// Makes the case around a value: the enum case itself.
  public let embed: @Sendable (Value) -> Root
  /// The value inside, or `nil` where it is another case. Called for every action: keep it to one pattern.
  public let extract: @Sendable (Root) -> Value?

  @inlinable
  public init(
    embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?
  ) {
    self.embed = embed
    self.extract = extract
  }
}
