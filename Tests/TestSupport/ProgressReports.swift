/// What commands report of their progress, once a second. Whether they take so long depends on the
/// machine.
extension String {
  /// The text of standard error without reports of progress.
  public var withoutProgress: String {
    replacing(
      #/session [a-z]+: (\d+ % of [^\n]+ read|\d+ of \d+ files?(, \d+ failed)?, \d+ steps?)\n/#,
      with: "")
  }

  /// The text with the numbers that its steps have if reports of progress, each of which is a step
  /// too, are not counted.
  ///
  /// - Parameter recording: The text of the recording whose steps the text names.
  public func withoutProgress(in recording: String) -> String {
    let reports = recording.split(separator: "\n").compactMap { line -> Int? in
      guard line.contains(#""action":{"session":{"progress":"#) else { return nil }
      return line.firstMatch(of: /"n":(\d+)/).flatMap { Int($0.1) }
    }
    return withoutProgress.replacing(/\b(steps? +|of )(\d+)/) { match in
      let step = Int(match.2) ?? 0
      return match.1 + String(step - reports.count { $0 <= step })
    }
  }
}
