import SwiftBoardSystem

/// The time limit for waiting for the other end of a named pipe, which another process controls.
///
/// Standard input and other inherited descriptors have no limit, although they may be pipes: the
/// shell connected them when it started the program.
struct PipeTimeout: Sendable {
  /// The limit, or `nil` to wait without one.
  let limit: Duration?
  let clock: BoardClock

  /// Runs `body`. If one of the paths is a named pipe, cancels `body` at the time limit.
  ///
  /// - Throws: The error of `body`, or `APIError` of kind `timeout` at the time limit.
  func run<Value: Sendable>(
    _ paths: [String], _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard let value = try await result(paths, body) else { throw error(paths) }
    return value
  }

  /// Runs `body` like `run`.
  ///
  /// - Returns: The result of `body`, or `nil` if the time limit was reached.
  func result<Value: Sendable, Failure: Error>(
    _ paths: [String], _ body: @escaping @Sendable () async throws(Failure) -> Value
  ) async throws(Failure) -> Value? {
    guard let limit, paths.contains(where: Self.isNamedPipe) else { return try await body() }
    let ended = await withTaskGroup { group -> Result<Value, Failure>? in
      group.addTask { () -> Result<Value, Failure>? in
        do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
      }
      group.addTask {
        try? await clock.sleep(for: limit)
        return nil
      }
      defer { group.cancelAll() }
      // If the task is cancelled, `body` ends by itself.
      while let first = await group.next() {
        if first != nil || !Task.isCancelled { return first }
      }
      return nil
    }
    return try ended?.get()
  }

  /// Returns the error for an exceeded time limit.
  func error(_ paths: [String]) -> APIError {
    let pipe = paths.first(where: Self.isNamedPipe) ?? ""
    let limit = limit.map { " of \($0.formattedMilliseconds)" } ?? ""
    return APIError(
      .timeout, "nothing passed through the pipe \(pipe) within the time limit\(limit)")
  }

  private static func isNamedPipe(_ path: String) -> Bool {
    FileInfo(path)?.isPipe == true && DescriptorPath(path) == nil
  }
}
