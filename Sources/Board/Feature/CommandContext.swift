import SwiftBoardCommandLine

/// The command and the line that an action belongs to. It is part of the action that starts the
/// command, so that the board's output follows from the steps alone.
public struct CommandContext: Codable, Sendable, Equatable {
  /// A redirection `> FILE` or `>> FILE`, expanded.
  public struct Redirect: Codable, Sendable, Equatable {
    /// The file's name.
    public var file: String
    /// Whether to append to the file (`>>`).
    public var appends: Bool

    /// Creates a redirection to a file.
    public init(file: String, appends: Bool) {
      self.file = file
      self.appends = appends
    }
  }

  /// The number of the job in the session, from 1. It is the cancel id of the command's effects.
  public var job: Int
  /// The number of the line in its source.
  public var line: Int
  /// The source of the line, for example `demo.sb`, or `nil` for a line that was typed or given as
  /// an argument.
  public var source: String?
  /// The line as typed, with names in place of secrets.
  public var text: String
  /// The name of the command, for example `api.get`.
  public var name: String
  /// The prefix of the line, which applies to all its commands, or `nil` if there is none.
  public var prefix: LinePrefix?
  /// The destination of its output, or `nil` for standard output.
  public var redirect: Redirect?
  /// Whether the next line is read while it runs.
  public var isBackground: Bool
  /// The output format, if the line sets one.
  public var output: OutputFormat?
  /// The time limit of a request in milliseconds, if the line or the program sets one.
  public var timeout: Int64?
  /// Whether `-v` follows the command, in recordings of earlier versions.
  public var isVerbose: Bool?
  /// Whether `-q` follows the command, or `nil` to use the program's option.
  public var isQuiet: Bool?
  /// Whether `--ascii` follows the command, or `nil` to use the program's option.
  public var isASCII: Bool?
  /// Whether an HTTP status of 300 and above is a failure, or `nil` to use the program's option.
  public var checksStatus: Bool?
  /// The use of colors at a terminal, if the line sets one.
  package var color: ColorMode?
  /// Whether a pager may show the output, or `nil` to use the program's option.
  package var usesPager: Bool?

  /// The job of the `watch` that repeats this command, or `nil` if none does.
  package var round: Int?

  /// Whether `source` runs the line, whose failure names its file in JSON too. `nil` if not, and in
  /// earlier recordings.
  package var isSourced: Bool?

  /// The number of steps that contain rows of its output, so that a recording that starts between
  /// them continues the output. `nil` in earlier recordings.
  package var parts: Int?

  /// Creates the context of a command.
  public init(
    job: Int, line: Int, source: String?, text: String, name: String, prefix: LinePrefix? = nil,
    redirect: Redirect? = nil, isBackground: Bool = false, output: OutputFormat? = nil,
    timeout: Int64? = nil
  ) {
    self.job = job
    self.line = line
    self.source = source
    self.text = text
    self.name = name
    self.prefix = prefix
    self.redirect = redirect
    self.isBackground = isBackground
    self.output = output
    self.timeout = timeout
  }

  /// Adopts the options of the command that runs this one, such as `open` or `watch`.
  mutating func takeOptions(of outer: CommandContext) {
    output = outer.output ?? output
    timeout = outer.timeout ?? timeout
    isQuiet = outer.isQuiet ?? isQuiet
    isASCII = outer.isASCII ?? isASCII
    checksStatus = outer.checksStatus ?? checksStatus
    color = outer.color ?? color
    usesPager = outer.usesPager ?? usesPager
  }

  /// The location, for example `demo.sb:7`, or `line 7` if there is no source.
  public var location: String { LineLocation(source, line: line).description }
}
