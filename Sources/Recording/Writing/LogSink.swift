import SwiftBoardSystem

/// A failed system call on a log file.
public struct LogIOError: Error, Sendable, Hashable, CustomStringConvertible {
  /// `errno`.
  public let code: Int32
  /// What was tried, for example `write`.
  public let operation: String

  /// A failed call.
  ///
  /// - Parameter code: `errno` as it was right after the call.
  public init(code: Int32, operation: String) {
    self.code = code
    self.operation = operation
  }

  init(_ error: SystemError) { self.init(code: error.code, operation: error.call) }

  public var description: String { "\(operation): \(SystemError.text(of: code))" }
}

/// A destination for a recorder's bytes: a file, or in tests something that fails on purpose.
///
/// A recorder calls it from one thread at a time.
public protocol LogSink: AnyObject, Sendable {
  /// Writes some or all of `bytes` at byte `offset` in one system call and returns how many. Errors
  /// are not retried here, `EINTR` neither.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int
  /// Cuts the file to `size` bytes.
  func truncate(to size: Int) throws(LogIOError)
  /// Waits until what was written survives a loss of power.
  func synchronize() throws(LogIOError)
  /// The name under which the file was to be found and is not any more, because it was removed,
  /// renamed or replaced; `nil` while all is well. Asked now and then, at most every 50 ms. Without
  /// an answer of its own a sink is always well.
  func missingName() -> String?
  /// Gives the file back. Nothing follows it.
  func close()
}

extension LogSink {
  /// Nothing can go missing.
  public func missingName() -> String? { nil }
}
