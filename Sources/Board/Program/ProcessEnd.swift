import SwiftBoardCommandLine
import SwiftBoardSystem

/// The end of the process.
package enum ProcessEnd {
  /// Restores the terminal and ends the process.
  ///
  /// The exit handlers of libraries do not run. OpenSSL's releases what the thread of the HTTP
  /// client may still use: a request that is cancelled at once leaves that thread loading the
  /// library.
  package static func leave(_ code: Int32) -> Never {
    TerminalModes.restoreAtTheEnd()
    _exit(code)
  }
}
