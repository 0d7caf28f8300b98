#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system calls of a write, each under a name at which tests make it fail.
struct FileSystem: Sendable {
  enum Call: Sendable, CaseIterable {
    case open, write, changeMode, close, rename
  }

  /// Asked before every call; an error number makes the call fail without doing anything.
  var intercept: (@Sendable (Call) -> Int32?)?

  /// Runs a call until it is not interrupted; its result, and `errno` where that is negative.
  ///
  /// - Parameter isRepeated: False for `close`, after which the number may be another file's.
  func call<Value: SignedInteger>(_ call: Call, isRepeated: Bool = true, _ body: () -> Value)
    -> Value
  {
    while true {
      if let number = intercept?(call) {
        errno = number
      } else {
        let result = body()
        if result >= 0 { return result }
      }
      if errno != EINTR || !isRepeated { return -1 }
    }
  }
}
