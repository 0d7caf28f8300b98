import SwiftBoardSystem
import SwiftBoardTestSupport

/// A program in a window of tmux, the terminal emulator: its screen is one that others wrote.
struct Tmux {
  /// The file that gets all bytes that the program shows.
  let output: String
  private let socket: String

  /// Starts a line of the shell, which waits until its output is kept in `output`.
  init(_ line: String, folder: TemporaryFolder, environment: [String: String]) async throws {
    output = folder.path("shown")
    socket = folder.path("tmux")
    try folder.write("", to: "shown")
    try folder.write("set -g status off\nset -g escape-time 0\n", to: "tmux.conf")
    var environment = environment
    environment["TERM"] = "xterm-256color"
    let started = try await runProcess(
      "/usr/bin/env",
      [
        "tmux", "-f", folder.path("tmux.conf"), "-S", socket, "new-session", "-d", "-x", "80", "-y",
        "24", "/bin/sh", "-c", "read -r go; \(line)",
      ], environment: environment, folder: folder.path)
    guard started.status == .exited(0) else { throw Failure(description: started.errorText) }
    try await call("set-option", "-w", "remain-on-exit", "on")
    try await call("pipe-pane", "-O", "cat >> '\(output)'")
    try await call("send-keys", "Enter")
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs a command of tmux, and returns what it prints.
  @discardableResult
  func call(_ arguments: String...) async throws -> String {
    let outcome = try await runProcess("/usr/bin/env", ["tmux", "-S", socket] + arguments)
    guard outcome.status == .exited(0) else {
      throw Failure(description: "tmux \(arguments): \(outcome.errorText)")
    }
    return outcome.outputText
  }

  /// Types text as it is.
  func type(_ text: String) async throws { try await call("send-keys", "-l", "--", text) }

  /// Presses keys by the names that tmux gives them.
  func press(_ keys: String...) async throws {
    for key in keys { try await call("send-keys", key) }
  }

  /// Pastes text, as a terminal does.
  func paste(_ text: String) async throws {
    try await call("set-buffer", "--", text)
    try await call("paste-buffer", "-p", "-d")
  }

  func resize(columns: Int, rows: Int) async throws {
    try await call("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// What the screen shows.
  struct Screen: Equatable {
    var rows: [String]
    var row: Int
    var column: Int

    /// The row of the cursor, up to the cursor.
    var line: String { row < rows.count ? rows[row] : "" }
  }

  func screen() async throws -> Screen {
    let text = try await call("capture-pane", "-p")
    let cursor = try await call("display-message", "-p", "#{cursor_y} #{cursor_x}")
      .split(whereSeparator: \.isWhitespace).map { Int($0) ?? -1 }
    var rows = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    // The last row ends with a line feed too.
    rows.removeLast()
    return Screen(rows: rows, row: cursor[0], column: cursor[1])
  }

  /// The bytes shown from an offset on.
  func shown(from offset: Int) throws -> [UInt8] {
    guard let file = FileManager.default.contents(atPath: output) else { return [] }
    return Array(file.dropFirst(offset))
  }

  func end() async { _ = try? await call("kill-server") }
}
