/// The values that an outcome may depend on, besides its feature's own action and state.
public struct OutcomeContext: Sendable {
  /// The settings from before the first line.
  public let settings: BoardSettings
  /// Whether the steps are being recorded, according to the steps.
  public let isRecording: Bool
  private let running: [CommandContext]

  /// Creates the context of an action whose step ended with `state`, for a test of a feature.
  public init(_ state: BoardState) {
    settings = state.settings
    isRecording = state.session.recording != nil
    running = state.shell.running
  }

  /// Returns the settings of the command of a job.
  public func settings(of job: Int) -> BoardSettings { settings.following(command(of: job)) }

  /// Returns whether the output of a job contains drawings next to numbers, as text at a terminal
  /// does.
  public func draws(_ job: Int) -> Bool {
    settings.isTerminal == true && command(of: job)?.redirect == nil
      && settings(of: job).output == .table
  }

  /// Returns whether the text of a job is ASCII: without a UTF-8 locale, and in a file, whose
  /// readers may have another locale.
  func isASCII(_ job: Int) -> Bool { settings.isASCII || command(of: job)?.redirect != nil }

  /// Returns the columns that the text of a job fits into, or `nil` without a limit.
  func columns(of job: Int) -> Int? {
    let isText = settings(of: job).output == .table && command(of: job)?.redirect == nil
    return isText ? settings.columns : nil
  }

  /// Returns the command of a job. A command is running until its outcome is known.
  public func command(of job: Int) -> CommandContext? {
    running.first { $0.job == job }
  }
}
