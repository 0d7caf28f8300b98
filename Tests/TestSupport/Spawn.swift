import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How a child ended.
public enum ExitStatus: Sendable, Equatable, CustomStringConvertible {
  case exited(Int32)
  case signaled(Int32)

  /// As a shell gives it: the exit code, or 128 and the signal's number.
  public var code: Int32 {
    switch self {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    }
  }

  public var description: String {
    switch self {
    case .exited(let code): "exit \(code)"
    case .signaled(let signal): "signal \(signal)"
    }
  }
}

/// Where the child's descriptors 0, 1 and 2 come from.
enum Channels {
  case pipes(input: Int32, output: Int32, error: Int32)
  /// The path of a terminal, which becomes the controlling one.
  case terminal(String)
}

/// Starts a program. Signals are at their defaults in it, and it inherits no descriptor but 0, 1
/// and 2.
func spawn(
  _ path: String, _ arguments: [String], environment: [String: String]?, folder: String?,
  _ channels: Channels
) throws -> pid_t {
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
  #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  posix_spawnattr_init(&attributes)
  defer {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }

  var flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
  switch channels {
  case .pipes(let input, let output, let error):
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, error, 2)
    // A group of its own: a signal meant for the child never reaches the tests.
    flags |= Int32(POSIX_SPAWN_SETPGROUP)
    posix_spawnattr_setpgroup(&attributes, 0)
  case .terminal(let terminal):
    posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    #if canImport(Darwin)
      flags |= Int32(POSIX_SPAWN_SETSID)
    #else
      flags |= 0x80  // POSIX_SPAWN_SETSID, which Swift does not see
    #endif
  }
  #if canImport(Darwin)
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }
  #else
    if let folder {
      guard let change = Hidden.addChangeFolder else { throw SystemFailure("chdir", code: ENOSYS) }
      _ = change(&actions, folder)
    }
  #endif
  #if canImport(Darwin)
    flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
  #elseif canImport(Glibc)
    _ = Hidden.addCloseFrom?(&actions, 3)
  #endif

  var signals = sigset_t()
  sigfillset(&signals)
  posix_spawnattr_setsigdefault(&attributes, &signals)
  sigemptyset(&signals)
  posix_spawnattr_setsigmask(&attributes, &signals)
  posix_spawnattr_setflags(&attributes, Int16(flags))

  let variables = environment ?? ProcessInfo.processInfo.environment
  let child = try withCStrings([path] + arguments) { argv in
    try withCStrings(variables.map { "\($0.key)=\($0.value)" }) { envp in
      var child = pid_t()
      let code = posix_spawn(&child, path, &actions, &attributes, argv, envp)
      guard code == 0 else { throw SystemFailure("start \(path)", code: code) }
      return child
    }
  }
  return child
}

#if !canImport(Darwin)
  /// Functions of the C library that its Swift module does not show.
  private enum Hidden {
    typealias AddChangeFolder =
      @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, UnsafePointer<CChar>) ->
      Int32
    typealias AddCloseFrom =
      @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

    // The casts give each symbol the type that its manual page states.
    static let addChangeFolder = dlsym(nil, "posix_spawn_file_actions_addchdir_np").map {
      unsafeBitCast($0, to: AddChangeFolder.self)
    }
    static let addCloseFrom = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
      unsafeBitCast($0, to: AddCloseFrom.self)
    }
  }
#endif

private func withCStrings<R>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) throws -> R
) rethrows -> R {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return try body(copies + [nil])
}

/// A started child: its end, and signals that cannot hit another process that got the same number.
final class Reaper: Sendable {
  private let child: pid_t
  private let reaped = Mutex(false)
  private let end = EventLog<ExitStatus>()

  init(_ child: pid_t) {
    self.child = child
    startThread { self.watch() }
  }

  var processID: pid_t { child }

  func signal(_ number: Int32) {
    reaped.withLock { if !$0 { _ = kill(child, number) } }
  }

  func status() async -> ExitStatus {
    await end.first { $0.first } ?? .exited(-1)
  }

  private func watch() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0 {
      if errno != EINTR { break }
    }
    var raw: Int32 = 0
    reaped.withLock {
      while waitpid(child, &raw, 0) < 0, errno == EINTR {}
      $0 = true
    }
    let signal = raw & 0x7f
    end.append(signal == 0 ? .exited((raw >> 8) & 0xff) : .signaled(signal))
  }
}

/// Both ends of a pipe, closed in every child.
func makePipe() throws -> (read: Int32, write: Int32) {
  var ends: [Int32] = [0, 0]
  guard pipe(&ends) == 0 else { throw SystemFailure("pipe") }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  return (ends[0], ends[1])
}
