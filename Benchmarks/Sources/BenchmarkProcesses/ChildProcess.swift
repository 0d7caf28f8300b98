#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a process took.
package struct Cost {
  package var seconds: Double
  /// User and system time.
  package var processor: Double
  /// The most memory, in MB.
  package var memory: Double
  package var status: Int32

  package init(
    seconds: Double = .infinity, processor: Double = .infinity, memory: Double = 0,
    status: Int32 = 0
  ) {
    self.seconds = seconds
    self.processor = processor
    self.memory = memory
    self.status = status
  }
}

/// A process that this one started.
package struct ChildProcess {
  package let id: pid_t
  private let start: ContinuousClock.Instant

  /// Starts a program that is found in `PATH`; its output goes to a file. `nil` where it cannot be
  /// started.
  ///
  /// - Parameters:
  ///   - input: A file for standard input.
  ///   - terminal: A terminal in place of all three.
  package init?(
    _ words: [String], input: String = "/dev/null", output: String = "/dev/null",
    terminal: String? = nil
  ) {
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #else
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    let create = O_WRONLY | O_CREAT | O_TRUNC
    if let terminal {
      for number in Int32(0)...2 {
        posix_spawn_file_actions_addopen(&actions, number, terminal, O_RDWR, 0)
      }
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 1, output, create, 0o600)
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", create, 0o600)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var id = pid_t()
    start = .now
    guard posix_spawnp(&id, words[0], &actions, &attributes, &arguments, environ) == 0 else {
      return nil
    }
    self.id = id
  }

  /// Waits for its end.
  package func wait() -> Cost {
    var status: Int32 = 0
    var usage = rusage()
    while wait4(id, &status, 0, &usage) < 0, errno == EINTR {}
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    #if canImport(Darwin)
      let memory = Double(usage.ru_maxrss) / 1e6
    #else
      let memory = Double(usage.ru_maxrss) * 1024 / 1e6
    #endif
    return Cost(
      seconds: (ContinuousClock.now - start) / .seconds(1),
      processor: seconds(usage.ru_utime) + seconds(usage.ru_stime), memory: memory,
      status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
  }

  /// Runs a program to its end; `nil` where it cannot be started.
  package static func run(
    _ words: [String], input: String = "/dev/null", output: String = "/dev/null"
  ) -> Cost? {
    ChildProcess(words, input: input, output: output)?.wait()
  }
}
