/// Why a text is no condition, and where.
public struct JSONConditionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The problem.
  public enum Kind: Sendable, Hashable {
    /// A comparison has to begin with a path here.
    case missingPath
    /// This text is no path, for this reason.
    case malformedPath(String, reason: String)
    /// A path ends without a comparison.
    case missingOperator
    /// This is no comparison.
    case unknownOperator(String)
    /// This comparison ends without a value.
    case missingValue(after: JSONCondition.Operator)
    /// This text is no JSON, for this reason.
    case malformedValue(String, reason: String)
    /// The word was found in place of `and` or `or`.
    case unknownConjunction(String)
  }

  /// The problem.
  public var kind: Kind
  /// The first character at fault, from 1.
  public var column: Int
  /// The number of characters at fault, at least 1.
  public var length: Int

  /// The problem, in one line without a full stop.
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
