/// The work that `Store.shutdown` cancels first.
public enum ShutdownWork: Sendable, Hashable {
  /// Effects that have not started because their limit is reached.
  case queued
  /// Every effect.
  case all
}
