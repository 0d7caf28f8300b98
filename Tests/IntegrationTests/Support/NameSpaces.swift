import SwiftBoardTestSupport

/// What the machine allows in name spaces of a process's own (Linux).
enum NameSpaces {
  /// Whether a file system may be mounted.
  @Sendable
  static func canMount() async -> Bool {
    let run = try? await runProcess(
      "/usr/bin/unshare", ["-rm", "/bin/sh", "-c", "mount -t tmpfs -o size=64k none /tmp"])
    return run?.status == .exited(0)
  }

  /// Whether a process may have no network.
  @Sendable
  static func canLeaveNetwork() async -> Bool {
    (try? await runProcess("/usr/bin/unshare", ["-rn", "/bin/true"]))?.status == .exited(0)
  }
}
