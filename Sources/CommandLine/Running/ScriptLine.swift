import SwiftBoardJSON

/// A whole line on its way to be run: continuation lines are joined, and it is parsed.
public struct ScriptLine: Sendable, Hashable {
  /// As typed, physical lines joined by line feeds.
  public var text: String
  /// The position of its first physical line.
  public var location: LineLocation
  /// Never `.empty` or `.incomplete`: blank lines are passed by, and what stays open at the end is
  /// `.invalid`.
  public var parsed: ParsedLine

  /// A line from its parts.
  public init(text: String, location: LineLocation, parsed: ParsedLine) {
    self.text = text
    self.location = location
    self.parsed = parsed
  }

  /// The prefix that was read, also where the rest is invalid.
  public var prefix: LinePrefix? { parsed.prefix }
}

/// How a line ended.
public struct LineOutcome: Sendable, Equatable {
  /// 0 for success.
  public var exitCode: Int32
  /// No further line is read, and the whole ends with `exitCode`, as after `exit`.
  public var stop: Bool
  /// The user or a signal ended the line: no prefix changes that, and a script ends with it.
  public var isInterrupted: Bool
  /// What the prefix has to say about it, to be shown with the failure.
  public var message: String?
  /// The value of the line's last command; `null` where it has none.
  public var value: JSON = .null
  /// What the line's last command printed on standard output when it ended, wherever that went.
  /// What a long command prints before its end is not part of it.
  public var output: [UInt8] = []
  /// `output` as text; what is not UTF-8 is replaced.
  public var text: String { String(decoding: output, as: UTF8.self) }
  /// Why the line's last command failed, also where a prefix forgives it.
  public var failure: Failure?

  /// An outcome; without arguments a success.
  public init(
    exitCode: Int32 = 0, stop: Bool = false, message: String? = nil, isInterrupted: Bool = false
  ) {
    self.exitCode = exitCode
    self.stop = stop
    self.message = message
    self.isInterrupted = isInterrupted
  }

  /// Exit status 0, and the next line is read.
  public static let success = LineOutcome()

  /// The outcome under a prefix: `!` turns success into failure 1 and failure into success, `-`
  /// forgives a failure.
  ///
  /// Neither touches `stop`, nor what an interrupt ended: that is no answer of the line's. A
  /// command that `cancel` ended is a failure like any other, although its code is 130 as well.
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

  private func ending(with exitCode: Int32, _ message: String? = nil) -> LineOutcome {
    var outcome = self
    outcome.exitCode = exitCode
    outcome.message = message
    return outcome
  }
}
