#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct ProcessError: Error {
  let status: Int32
}

/// Runs a program to its end and returns its exit status, or 256 and the signal that ended it.
func run(_ words: [String], output: String? = nil) throws -> Int32 {
  let process = try start(words, output: output)
  var status: Int32 = 0
  while waitpid(process, &status, 0) < 0 && errno == EINTR {}
  return status & 0x7F == 0 ? (status >> 8) & 0xFF : 256 + (status & 0x7F)
}

/// Starts a program; its standard output and error go to the file `output`.
func start(_ words: [String], output: String? = nil) throws -> pid_t {
  let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
  defer { for argument in arguments { free(argument) } }
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
  #else
    var actions = posix_spawn_file_actions_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  if let output {
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
  }
  var process = pid_t()
  let result = posix_spawn(&process, words[0], &actions, nil, arguments, environ)
  guard result == 0 else { throw ProcessError(status: result) }
  return process
}
