/// An error of parsing a condition.
public struct JSONConditionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem.
  public enum Kind: Sendable, Hashable {
    /// A comparison must begin with a path here.
    case missingPath
    /// The text is not a path.
    case malformedPath(String, reason: String)
    /// A path ends without a comparison.
    case missingOperator
    /// The text is not a comparison operator.
    case unknownOperator(String)
    /// The comparison ends without a value.
    case missingValue(after: JSONCondition.Operator)
    /// The text is not JSON.
    case malformedValue(String, reason: String)
    /// The word is not `and` or `or`.
    case unknownConjunction(String)
  }

  /// The problem.
  public var kind: Kind
  /// The column of the first wrong character, from 1.
  public var column: Int
  /// The number of wrong characters, at least 1.
  public var length: Int

  /// The problem in one line, without a full stop.
  public var description: String {
    switch kind {
    case .missingPath: "a path is missing"
    case .malformedPath(let text, let reason): "'\(text)' is not a path: \(reason)"
    case .missingOperator: "a comparison is missing after the path"
    case .unknownOperator(let name): "unknown comparison '\(name)'"
    case .missingValue(let relation): "a JSON value is missing after '\(relation.rawValue)'"
    case .malformedValue(let text, _): "'\(text)' is not JSON"
    case .unknownConjunction(let word): "'\(word)' joins no comparisons"
    }
  }
}
