/// An error of calls that change something, and may have changed it before they failed.
///
/// If a task is cancelled, any other error means that nothing was changed.
public protocol UncertainChange: Error {
  /// Whether something may have been changed.
  var mayHaveChanged: Bool { get }
}

extension KeychainError: UncertainChange {
  /// Whether the file was replaced, and the disk did not confirm it.
  public var mayHaveChanged: Bool { kind == .durabilityUnknown }
}

extension PersistenceError: UncertainChange {
  /// Whether the file or the disk failed, so that the change is not confirmed.
  public var mayHaveChanged: Bool { kind == .io || kind == .moved }
}

extension IncompleteImport: UncertainChange {
  /// `true`: some entries were written.
  package var mayHaveChanged: Bool { true }
}
