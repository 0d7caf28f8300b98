import SwiftBoardSystem
import Synchronization

/// Files in memory. Every call is recorded in `calls`.
public final class MockFileService: FileService, CheckedMock {
  private struct State: Sendable {
    var contents: [String: Data]
    var calls: [MockCall] = []
    var failures = PreparedFailures<FileError>()
  }

  private let state: Mutex<State>

  /// Creates files by path. Paths are compared as text.
  public init(_ contents: [String: Data] = [:]) {
    state = Mutex(State(contents: contents))
  }

  /// The present contents, by path.
  public var files: [String: Data] { state.withLock { $0.contents } }

  /// The calls in order, including failed ones.
  public var calls: [MockCall] { state.withLock { $0.calls } }

  /// Makes the next call with that name, `read` or `write`, throw `error` without any change.
  /// Several errors are thrown in order.
  public func failNext(
    _ call: String, with error: FileError,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: Int = #line,
    column: Int = #column
  ) {
    let location = MockIssue.Line(fileID, filePath, line, column)
    state.withLock { $0.failures.add(call, error, location) }
  }

  /// The prepared failures that did not occur.
  public var issues: [MockIssue] { state.withLock { $0.failures.issues } }

  private func note(_ call: String, _ arguments: String...) throws(FileError) {
    let error = state.withLock { state in
      state.calls.append(MockCall(call, arguments))
      return state.failures.take(call)
    }
    if let error { throw error }
  }

  /// Returns whether the file exists. Is not recorded in `calls`.
  public func isFile(_ path: String) -> Bool { state.withLock { $0.contents[path] != nil } }

  /// Returns the content of a file.
  ///
  /// - Throws: `missing` or `tooLarge`.
  public func read(_ path: String, limit: Int) async throws(FileError) -> Data {
    try note("read", path)
    guard let data = state.withLock({ $0.contents[path] }) else {
      throw FileError(.missing, path: path, message: "there is no file \(path)")
    }
    guard data.count <= limit else {
      throw FileError(
        .tooLarge, path: path, message: "\(path) has \(data.count) bytes; at most \(limit) are read"
      )
    }
    return data
  }

  /// Changes the content in `files`.
  ///
  /// - Throws: `exists`, with `create` only.
  public func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {
    try note("write", path, mode.rawValue, "\(data.count) bytes")
    let exists = state.withLock { state -> Bool in
      if mode == .create, state.contents[path] != nil { return true }
      state.contents[path] = (mode == .append ? state.contents[path] ?? Data() : Data()) + data
      return false
    }
    if exists {
      throw FileError(.exists, path: path, message: "\(path) exists already")
    }
  }
}
