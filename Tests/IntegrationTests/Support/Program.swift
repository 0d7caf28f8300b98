import SwiftBoardSystem
import SwiftBoardTestSupport

/// The built program and a folder of its own to run it in. `home` in that folder is the user's
/// home: it is there and empty.
struct Program {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("home"), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
  }

  /// Of the keychains of `withKeychain`.
  static let passphrase = "correct horse battery stäple"

  /// The program with a home `h` whose keychain, a published one, is quick to open, and its
  /// passphrase in the file `pass`.
  static func withKeychain(_ vector: String = "ok_passphrase") throws -> Program {
    let program = try Program()
    try program.makeFolder("h")
    let path = "\(SourceTree.root)/Tests/DependenciesTests/keychain-vectors/\(vector).sbkc"
    guard let bytes = FileManager.default.contents(atPath: path) else { throw NotBuilt() }
    try program.folder.write(Array(bytes), to: "h/keychain.sbkc")
    try program.folder.write(passphrase + "\n", to: "pass")
    return program
  }

  /// Where the program is: beside the tests in the build folder.
  static func executable() throws -> String {
    var starts = CommandLine.arguments
    #if os(Linux)
      if let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
        starts.append(link)
      }
    #endif
    for start in starts where start.hasPrefix("/") {
      var folder = start
      while let slash = folder.lastIndex(of: "/"), slash != folder.startIndex {
        folder = String(folder[..<slash])
        if access("\(folder)/swiftboard", X_OK) == 0, isFile("\(folder)/swiftboard") {
          return "\(folder)/swiftboard"
        }
      }
    }
    throw NotBuilt()
  }

  struct NotBuilt: Error, CustomStringConvertible {
    let description = "there is no swiftboard beside the tests: build the whole package"
  }

  /// All variables that the program gets; `changes` come on top, nil takes one away.
  func environment(_ changes: [String: String?] = [:]) -> [String: String] {
    var environment = [
      "HOME": folder.path("home"), "TZ": "UTC", "LANG": "C.UTF-8", "TERM": "dumb",
      "PATH": "/usr/bin:/bin",
      // The program's 30 and 0.5 seconds would decide a test on a busy machine.
      "SWIFTBOARD_TIMEOUT": "1h", "SWIFTBOARD_COMPLETION_TIMEOUT": "1h",
    ]
    let given = ProcessInfo.processInfo.environment
    for (name, value) in given where name.hasPrefix("LD_") || name.contains("SAN_OPTIONS") {
      environment[name] = value
    }
    for (name, value) in changes { environment[name] = value }
    return environment
  }

  /// Runs it to its end in the folder, or in one of its folders.
  func run(
    _ arguments: [String], stdin: String = "", environment changes: [String: String?] = [:],
    in subfolder: String? = nil
  ) async throws -> ChildProcess.Outcome {
    try await runProcess(
      try Program.executable(), arguments, stdin: Array(stdin.utf8),
      environment: environment(changes), folder: subfolder.map(folder.path(_:)) ?? folder.path)
  }

  /// Runs it to its end in the folder.
  func run(_ arguments: String...) async throws -> ChildProcess.Outcome {
    try await run(arguments)
  }

  /// Runs a line of the shell, in which `$0` is the program.
  func shell(_ line: String, environment changes: [String: String?] = [:]) async throws
    -> ChildProcess.Outcome
  {
    try await runProcess(
      "/bin/sh", ["-c", line, try Program.executable()], environment: environment(changes),
      folder: folder.path)
  }

  /// Starts it in the folder.
  func start(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(
      try Program.executable(), arguments, environment: environment(), folder: folder.path)
  }

  /// Starts it on a terminal.
  func startOnTerminal(_ arguments: String..., environment changes: [String: String?] = [:]) throws
    -> PtyProcess
  {
    try PtyProcess(
      try Program.executable(), arguments, environment: environment(changes), folder: folder.path)
  }

  /// A file of the folder as text.
  func text(_ name: String) throws -> String {
    String(decoding: try folder.read(name), as: UTF8.self)
  }

  /// Everything below a folder, and below the whole one without a name.
  func files(_ name: String? = nil) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: name.map(folder.path(_:)) ?? folder.path)
      .sorted()
  }

  func exists(_ name: String) -> Bool { access(folder.path(name), F_OK) == 0 }

  func makeFolder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder.path(name), withIntermediateDirectories: false,
      attributes: [.posixPermissions: 0o700])
  }

  /// Whether something is a file and no folder.
  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}

extension ChildProcess.Outcome {
  /// The lines of the error output.
  var errorLines: [String] {
    errorText.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
