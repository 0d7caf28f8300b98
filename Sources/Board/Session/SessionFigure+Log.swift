import SwiftBoardRecording

extension SessionFigure {
  /// The maximum number of actions and effects that are listed, the most frequent first.
  private static let limit = 20

  static func all(of log: LogStatistics) -> [SessionFigure] {
    func count(_ name: String, _ number: Int) -> SessionFigure {
      SessionFigure(name: name, number: number, text: String(number))
    }
    func time(_ name: String, _ microseconds: Int64) -> SessionFigure {
      SessionFigure(
        name: name, number: Int(microseconds), text: SessionText.seconds(microseconds) + " s")
    }
    var figures = [
      count("steps", log.steps), time("duration", log.microseconds), count("bytes", log.bytes),
      SessionFigure(
        name: "bytes a step", number: nil,
        text: String((log.bytesPerStep * 10).rounded() / 10)),
      count("draws", log.draws), count("digests", log.digests), count("snapshots", log.snapshots),
      count("marks", log.marks), count("issues", log.issues),
    ]
    for source in LogTimeline.Source.allCases {
      if let number = log.origins[source] {
        figures.append(count("from \(source.rawValue)", number))
      }
    }
    let actions = log.actions.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    figures += actions.prefix(limit).map { count("action \($0.key)", $0.value) }
    let effects = log.effects.sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
    for (name, sum) in effects.prefix(limit) {
      let parts = [
        Counted.text(sum.count, "time"), Counted.text(sum.actions, "action"),
        "\(sum.finished) finished",
        "\(sum.cancelled) cancelled", "\(sum.silent) silent", "\(sum.open) open",
        "longest \(SessionText.seconds(sum.longestMicroseconds)) s",
      ]
      figures.append(
        SessionFigure(
          name: "effect \(name)", number: sum.count, text: parts.joined(separator: ", ")))
    }
    for gap in log.gaps where gap.microseconds > 0 {
      figures.append(time("gap after step \(gap.after)", gap.microseconds))
    }
    return figures
  }
}
