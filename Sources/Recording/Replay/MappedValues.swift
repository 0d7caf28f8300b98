import SwiftBoardJSON

// Errors and warnings show recorded values shortened. A program that removes secrets from texts has
// to do so before values are shortened, since it does not find a part of a secret. `mapValues`
// replaces the values while they are whole. A text that is not shortened is not mapped.

extension LogDamage {
  /// Returns the damage with another value in place of the found one.
  /// Calls `transform` once for each value.
  public func mapValues(_ transform: (JSON) -> JSON) -> LogDamage {
    // The text only, so that an error that is kept does not keep a line of 64 MiB.
    var mapped = self
    mapped.content = .words(content.mapValues(transform).text)
    return mapped
  }
}

extension LogWarning {
  /// Returns the warning with other recorded values.
  /// Calls `transform` once for each value.
  public func mapValues(_ transform: (JSON) -> JSON) -> LogWarning {
    guard case .unknownKind(let kind, let line) = self else { return self }
    return .unknownKind(transform(.string(kind)).plainText, line: line)
  }
}

extension LogReadError {
  /// Returns the error with other recorded values.
  /// Calls `transform` once for each value.
  public func mapValues(_ transform: (JSON) -> JSON) -> LogReadError {
    switch self {
    case .damage(let damage): .damage(damage.mapValues(transform))
    case .file(let path, let error): .file(path: path, error.mapValues(transform))
    case .missing, .changed, .io, .broken, .gap, .cancelled: self
    }
  }
}

extension RecordingError {
  /// Returns the error with other recorded values.
  /// Calls `transform` once for each value.
  public func mapValues(_ transform: (JSON) -> JSON) -> RecordingError {
    guard case .unreadable(let error) = self else { return self }
    return .unreadable(error.mapValues(transform))
  }
}

extension ReplayError {
  /// Returns the error with other recorded and replayed values.
  /// Calls `transform` once for each value.
  public func mapValues(_ transform: (JSON) -> JSON) -> ReplayError {
    switch self {
    case .unreadable(let error): .unreadable(error.mapValues(transform))
    case .impossible(let failure): .impossible(failure.mapValues(transform))
    case .risky(let grade): .risky(grade.mapValues(transform))
    case .diverged(let divergence): .diverged(divergence.mapValues(transform))
    case .unreachable(let step, let divergence):
      .unreachable(step: step, divergence.mapValues(transform))
    case .noMark(let name): .noMark(transform(.string(name)).plainText)
    case .foreign, .encoding, .noStep, .speed, .idleLimit: self
    }
  }
}

extension ReplaySummary {
  /// Returns the summary with other recorded values in its warnings and its grade.
  /// Calls `transform` once for each value.
  public func mapValues(_ transform: (JSON) -> JSON) -> ReplaySummary {
    var mapped = self
    mapped.warnings = warnings.map { $0.mapValues(transform) }
    mapped.grade = grade.mapValues(transform)
    return mapped
  }
}

extension LogGrade {
  /// Returns the grade with other values in its named lines.
  /// Calls `transform` once for each value.
  public func mapValues(_ transform: (JSON) -> JSON) -> LogGrade {
    guard case .risky(let risks, let more) = self else { return self }
    return .risky(
      risks.map { risk in
        var mapped = risk
        mapped.changes = risk.changes.map { $0.mapValues(transform) }
        return mapped
      }, more: more)
  }
}

extension LogDecodingFailure {
  /// Returns the failure with another value in place of the logged one.
  /// Calls `transform` once for each value.
  public func mapValues(_ transform: (JSON) -> JSON) -> LogDecodingFailure {
    var mapped = self
    mapped.found = transform(found)
    if mapped.found != found { mapped.reason = reasonWithoutValue }
    return mapped
  }

  /// The reason without the value in it, which the decoder has shortened: `found the string "a...",
  /// expected b` becomes `expected b`.
  private var reasonWithoutValue: String {
    guard let start = reason.firstRange(of: "found the ")?.lowerBound,
      let end = reason[start...].ranges(of: ", expected ").last
    else { return reason }
    return String(reason[..<start] + reason[end.lowerBound...].dropFirst(2))
  }
}

extension Divergence {
  /// Returns the difference with other recorded and replayed values.
  /// Calls `transform` once for each value.
  public func mapValues(_ transform: (JSON) -> JSON) -> Divergence {
    var mapped = self
    mapped.differences = differences.map { difference in
      guard case .digest(let expected, let found, let changes, let since) = difference else {
        return difference
      }
      return .digest(
        expected: expected, found: found, changes: changes.map { $0.mapValues(transform) },
        since: since)
    }
    mapped.action = transform(action)
    return mapped
  }
}

extension StateDiff.Change {
  /// Returns the change between other values.
  /// Calls `transform` once for each value.
  public func mapValues(_ transform: (JSON) -> JSON) -> StateDiff.Change {
    StateDiff.Change(path: path, old: old.map(transform), new: new.map(transform))
  }
}

extension JSON {
  /// The text of a string, or the value as text.
  var plainText: String { stringValue ?? text }
}
