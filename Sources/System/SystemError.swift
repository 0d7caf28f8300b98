/// A failed system call.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The value of `errno`.
  package let code: Int32
  /// The name of the system call, such as `open`.
  package let call: String

  package init(code: Int32, call: String) {
    self.code = code
    self.call = call
  }

  /// Returns the error of the call that has just failed on this thread.
  package static func last(_ call: String) -> SystemError { SystemError(code: errno, call: call) }

  /// Whether the file or a folder above it does not exist.
  package var isMissing: Bool { code == ENOENT || code == ENOTDIR }
  /// Whether the disk or the user's quota is full.
  package var isFull: Bool { code == ENOSPC || code == EDQUOT }

  /// The system's text for the error number.
  package var description: String { SystemError.text(of: code) }

  /// Returns the system's text for an error number.
  package static func text(of code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
