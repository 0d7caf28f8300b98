import CSystem

/// A program that this process runs, such as a pager.
package struct ChildProgram: Sendable {
  /// The terminal and the process group that a program belongs to.
  package enum Session: Sendable {
    /// Those of this process.
    case shared
    /// The terminal of this process, and a group of its own, which no key of the terminal signals.
    case ownGroup
    /// A session of its own. The terminal at this path controls it and is its standard input,
    /// output and error.
    case terminal(String)
  }

  /// The process. Its number may be reused once the program has been waited for.
  package let id: pid_t

  /// Starts a program of the folders in `PATH`.
  ///
  /// Signals have their default effect in it. It inherits no descriptor but 0, 1 and 2; before
  /// glibc 2.34, and with musl, also those that are not marked to be closed.
  ///
  /// - Parameters:
  ///   - words: The name of the program, or its path, and its arguments.
  ///   - environment: All its variables, or `nil` for those of this process.
  ///   - folder: Its working folder, or `nil` for that of this process.
  ///   - input: The descriptor that becomes its standard input, or `nil` to inherit it.
  ///   - output: The descriptor that becomes its standard output, or `nil` to inherit it.
  ///   - error: The descriptor that becomes its standard error, or `nil` to inherit it.
  /// - Throws: `ENOENT` if there is no such program, and other errors of the system.
  package init(
    _ words: [String], environment variables: [String: String]? = nil, folder: String? = nil,
    input: Int32? = nil, output: Int32? = nil, error: Int32? = nil, session: Session = .shared
  ) throws(SystemError) {
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
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
    if let error { posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO) }
    switch session {
    case .shared: break
    case .ownGroup:
      flags |= Int32(POSIX_SPAWN_SETPGROUP)
      posix_spawnattr_setpgroup(&attributes, 0)
    case .terminal(let path):
      // The first terminal that a new session opens controls it.
      flags |= Int32(SWIFTBOARD_SPAWN_SETSID)
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path, O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO)
      posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO)
    }
    if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder) }
    #if canImport(Darwin)
      flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
      for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addinherit_np(&actions, descriptor)
      }
    #else
      swiftboard_spawn_close_from(&actions, STDERR_FILENO + 1)
    #endif
    // The threads of tasks block signals, and this process ignores SIGPIPE and SIGXFSZ.
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var arguments = words.map { strdup($0) } + [nil]
    var copies = (variables ?? [:]).map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for copy in arguments + copies { free(copy) } }
    var id = pid_t()
    let code =
      variables == nil
      ? posix_spawnp(&id, words[0], &actions, &attributes, &arguments, environ)
      : posix_spawnp(&id, words[0], &actions, &attributes, &arguments, &copies)
    guard code == 0 else { throw SystemError(code: code, call: "posix_spawnp") }
    self.id = id
  }

  /// Waits until the program has ended. Call it once.
  ///
  /// - Returns: Its exit code, or 128 and the number of the signal that ended it.
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { return 127 }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Asks the program to end. It must not have been waited for.
  package func terminate() { _ = kill(id, SIGTERM) }

  /// Ends the program, whatever it does. It must not have been waited for.
  package func endNow() { _ = kill(id, SIGKILL) }

  /// The program that opens a file as the user's desktop does.
  package static var fileOpener: String {
    #if canImport(Darwin)
      "open"
    #else
      "xdg-open"
    #endif
  }

  /// Returns whether a folder in `PATH` has a program with this name, or a path leads to one.
  package static func isInstalled(_ name: String) -> Bool {
    if name.contains("/") { return access(name, X_OK) == 0 }
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return folders.split(separator: ":").contains { folder in
      access("\(folder)/\(name)", X_OK) == 0
    }
  }
}
