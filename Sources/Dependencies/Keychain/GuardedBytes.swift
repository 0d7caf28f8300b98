/// Bytes in memory that is locked, surrounded by guard pages and zeroed when the last reference goes.
public final class GuardedBytes: Sendable {
  init() {}
}
