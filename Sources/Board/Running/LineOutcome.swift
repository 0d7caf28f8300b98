import SwiftBoardCommandLine
import SwiftBoardJSON

/// The outcome of a line.
public struct LineOutcome: Sendable, Equatable {
  /// The exit code, 0 for success.
  public var exitCode: Int32
  /// Whether to stop reading lines and end with `exitCode`, as after `exit`. A line after that is
  /// not run, by any executor of the board, and has this outcome too.
  public var stop: Bool
  /// Whether `exitCode` is that of a failure before a plain `exit` in a file that the line has run.
  /// Unlike the number of `exit 3` it gives way to an earlier failure.
  package var hasFailedBeforeExit = false
  /// Whether the user or a signal ended the line. No prefix changes that, and a script ends with
  /// it.
  public var isInterrupted: Bool
  /// The message of the prefix, shown with the failure.
  public var message: String?
  /// The line that the message is about if another one ended: that of a background command.
  package var messageLine: ScriptLine?
  /// The value of the line's last command, or `null` if it has none.
  public var value: JSON = .null
  /// The standard output of the line's last command when it ended, even if redirected. Output that
  /// a long command printed before its end is not included.
  public var output: [UInt8] = []
  /// `output` as text, with invalid UTF-8 replaced.
  public var text: String { String(decoding: output, as: UTF8.self) }
  /// The failure of the line's last command, even if a prefix allows it.
  public var failure: Failure?

  /// Creates an outcome, by default a success.
  public init(
    exitCode: Int32 = 0, stop: Bool = false, message: String? = nil, isInterrupted: Bool = false
  ) {
    self.exitCode = exitCode
    self.stop = stop
    self.message = message
    self.isInterrupted = isInterrupted
  }

  /// Success: exit code 0, and the next line is read.
  public static let success = LineOutcome()

  /// Applies a prefix to the outcome. `!` turns success into failure 1 and failure into success.
  /// `-` turns failure into success.
  ///
  /// Neither changes an outcome with `stop` or an interrupt, as that is no result of the line. A
  /// command that `cancel` ended is a normal failure, although its code is also 130.
  public func applying(_ prefix: LinePrefix?) -> LineOutcome {
    guard !stop, !isInterrupted else { return self }
    switch prefix {
    case .mustFail:
      return exitCode == 0
        ? ending(with: 1, "this line should have failed, and succeeded") : ending(with: 0)
    case .mayFail: return ending(with: 0)
    case .time, nil: return self
    }
  }

  /// Returns the outcome of an interrupted line.
  ///
  /// - Parameters:
  ///   - exitCode: That of its last command. One that was cancelled has said so.
  ///   - message: What a cancelled one has not said, such as a line of its file that was cut.
  static func interrupted(after exitCode: Int32, saying message: String? = nil) -> LineOutcome {
    LineOutcome(
      exitCode: ExitCode.interrupted,
      message: exitCode == ExitCode.interrupted ? message : "cancelled", isInterrupted: true)
  }

  private func ending(with exitCode: Int32, _ message: String? = nil) -> LineOutcome {
    var outcome = self
    outcome.exitCode = exitCode
    outcome.message = message
    return outcome
  }
}
