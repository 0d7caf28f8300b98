import SwiftBoardSystem

/// A failed system call on a log file, or another reason not to write it.
public struct LogIOError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The value of `errno`, or 0 if no call failed.
  public let code: Int32
  /// The name of the operation, for example `write`, or the problem if no call failed.
  public let operation: String

  /// Another program cut the file or appended to it. A sink that notices this throws it and writes
  /// nothing. The recorder then leaves the file as it is.
  public static let changed = LogIOError(
    code: 0, operation: "another program has cut the file or appended to it")

  /// Creates an error for a failed call.
  ///
  /// - Parameter code: The value of `errno` directly after the call.
  public init(code: Int32, operation: String) {
    self.code = code
    self.operation = operation
  }

  init(_ error: SystemError) { self.init(code: error.code, operation: error.call) }

  /// The operation and the text of the error.
  public var description: String {
    code == 0 ? operation : "\(operation): \(SystemError.text(of: code))"
  }
}

/// A destination for the bytes of a recorder: a file, or in tests a sink that fails on purpose.
///
/// A recorder calls it from one thread at a time.
public protocol LogSink: AnyObject, Sendable {
  /// Writes some or all of `bytes` at byte `offset` in one system call. Returns the number of
  /// written bytes. Need not retry after `EINTR`: a recorder does.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LogIOError) -> Int
  /// Cuts the file to `size` bytes.
  func truncate(to size: Int) throws(LogIOError)
  /// Waits until written bytes survive a power failure.
  func synchronize() throws(LogIOError)
  /// Returns the path of the file if it no longer refers to the file, because the file was removed,
  /// renamed or replaced. Otherwise returns `nil`.
  ///
  /// A recorder calls this at most every 50 ms. The default implementation returns `nil`.
  func missingName() -> String?
  /// Closes the file. This is the last call.
  func close()
}

extension LogSink {
  /// Returns `nil`.
  public func missingName() -> String? { nil }
}
