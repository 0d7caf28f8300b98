import SwiftBoardCommandLine

/// Which command of which line an action belongs to. It is part of the action that starts the
/// command, so that the board's whole output follows from the steps alone.
public struct CommandContext: Codable, Sendable, Equatable {
  /// `> FILE` or `>> FILE`, expanded.
  public struct Redirect: Codable, Sendable, Equatable {
    /// The file's name.
    public var file: String
    /// `>>`: the file is kept and added to.
    public var appends: Bool

    /// The destination of the output, and whether the file is kept.
    public init(file: String, appends: Bool) {
      self.file = file
      self.appends = appends
    }
  }

  /// 1, 2, 3 … over the session; the cancel id of what the command starts.
  public var job: Int
  /// The number of the line in its source, and the source, for example `demo.sb`; `nil` for a
  /// person and for one shot.
  public var line: Int
  /// The source of the line, for example `demo.sb`; `nil` for a person and for one shot.
  public var source: String?
  /// The line as typed; secrets are names.
  public var text: String
  /// For example `api.get`.
  public var name: String
  /// What the line begins with, for all its commands; `nil` for nothing.
  public var prefix: LinePrefix?
  /// The destination of its output; `nil`: to standard output.
  public var redirect: Redirect?
  /// Whether the next line is read while it runs.
  public var isBackground: Bool
  /// The output format, where the line has one of its own.
  public var output: OutputFormat?
  /// Milliseconds a request may take, where the line or the program has a limit of its own.
  public var timeout: Int64?
  /// `-v` after the command: whether details are printed; `nil`: the program's own option.
  public var isVerbose: Bool?

  /// A context, as the board makes one for each command.
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

  /// For example `demo.sb:7`, or `line 7` where no file is named.
  public var location: String { LineLocation(source, line: line).description }
}
