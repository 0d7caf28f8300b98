/// A program that this process runs, such as a pager.
package struct ChildProgram: Sendable {
  private let id: pid_t

  /// Starts a program of the folders in `PATH` with the environment of this process.
  ///
  /// Signals have their default effect in it. It inherits no descriptor but 0, 1 and 2.
  ///
  /// - Parameters:
  ///   - words: The name of the program, or its path, and its arguments.
  ///   - input: The descriptor that becomes its standard input, or `nil` to inherit it.
  ///   - output: The descriptor that becomes its standard output, or `nil` to inherit it.
  /// - Throws: `ENOENT` if there is no such program, and other errors of the system.
  package init(_ words: [String], input: Int32? = nil, output: Int32? = nil) throws(SystemError) {
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
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
    // The threads of tasks block signals, and this process ignores SIGPIPE.
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    var flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    #if canImport(Darwin)
      flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
      for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addinherit_np(&actions, descriptor)
      }
    #endif
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var id = pid_t()
    let code = posix_spawnp(&id, words[0], &actions, &attributes, &arguments, environ)
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

  /// Returns whether a folder in `PATH` has a program with this name.
  package static func isInstalled(_ name: String) -> Bool {
    let folders = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return folders.split(separator: ":").contains { folder in
      access("\(folder)/\(name)", X_OK) == 0
    }
  }
}
