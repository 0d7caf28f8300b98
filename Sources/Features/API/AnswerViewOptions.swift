import SwiftBoardCommandLine
import SwiftBoardJSON

/// The options that say what of an answer is shown.
enum AnswerViewOptions {
  static let specs = [
    OptionSpec(flag: "headers", "show status and headers (as 'api head' does without this)"),
    OptionSpec(flag: "body", "show the body (as other methods do without this)"),
    OptionSpec(
      flag: "show-request", "show request, headers and body; with --json, add 'request'"),
    OptionSpec(flag: "verbose", short: "v", "the same as --show-request"),
    OptionSpec(
      flag: "timing", "show where the time went; with --json, add 'timing' in milliseconds"),
    OptionSpec(flag: "pretty", "show JSON indented, also off a terminal"),
    OptionSpec(
      flag: "raw", "show the body's bytes, also at a terminal; with --select, JSON on one line"),
    OptionSpec("select", value: "PATH", "show what is at PATH of the body"),
  ]

  /// - Returns: The view that a line asks for; `nil` if it asks for none.
  static func read(_ invocation: Invocation) throws(UsageError) -> APIAnswerView? {
    var views = ["headers", "body", "show-request", "verbose", "timing"].filter(invocation.flag)
    // A part of the body is what `--body` shows.
    if invocation.option("select") != nil, !invocation.flag("body") { views.append("select") }
    if views.count > 1, Set(views) != ["show-request", "verbose"] {
      throw UsageError("give one of \(views.map { "--\($0)" }.joined(separator: " and "))")
    }
    var view = APIAnswerView()
    if invocation.flag("body") { view.shown = .body }
    if invocation.flag("headers") { view.shown = .headers }
    if invocation.flag("verbose") || invocation.flag("show-request") {
      (view.shown, view.added) = (.verbose, [.request])
    }
    if invocation.flag("timing") { (view.shown, view.added) = (.timing, [.timing]) }
    view.select = try select(invocation)
    if invocation.flag("pretty") { view.isPretty = true }
    if invocation.flag("raw") { view.isPretty = false }
    if invocation.flag("pretty"), invocation.flag("raw") {
      throw UsageError("give one of --pretty and --raw")
    }
    return view == APIAnswerView() ? nil : view
  }

  private static func select(_ invocation: Invocation) throws(UsageError) -> String? {
    guard let select = try invocation.name("select") else { return nil }
    do throws(JSONPathError) {
      _ = try JSONPath(parsing: select)
    } catch {
      throw UsageError(
        "'\(select)' is not a path: \(error.message)", help: "a path is like results[0].name",
        at: invocation.option("select"))
    }
    return select
  }
}
