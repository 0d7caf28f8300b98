extension TemporaryFolder {
  /// Writes a program of the shell, mode 0700, and gives its path.
  ///
  /// A program that another test starts has copies of all descriptors until it runs, and a file
  /// that is open for writing cannot be run. So a child writes it, with descriptors of its own.
  @discardableResult
  public func write(program lines: String, to name: String) async throws -> String {
    let file = path(name)
    let writer = try await runProcess(
      "/bin/sh", ["-c", "cat > \"$0\" && chmod 700 \"$0\"", file],
      stdin: Array("#!/bin/sh\n\(lines)\n".utf8))
    guard writer.status == .exited(0) else { throw Unwritten(reason: writer.errorText) }
    return file
  }
}

private struct Unwritten: Error { var reason: String }
