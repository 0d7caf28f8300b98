import SwiftBoardCommandLine
import SwiftBoardDependencies

/// The text that shows how far a transfer is.
enum ProgressText {
  /// Returns one line, for example
  /// `big.iso  [###...]  51 %  512.0 MiB of 1.0 GiB  98.0 MiB/s  5 s left`.
  ///
  /// Where it does not fit, the bar becomes shorter and then the name, then the amount goes and
  /// then the name. Percentage, rate and time stay.
  ///
  /// - Parameters:
  ///   - first: What was done when the time began.
  ///   - time: The time since then.
  ///   - width: The columns there are.
  static func line(
    _ progress: TransferProgress, since first: Int64, in time: Duration, isASCII: Bool, width: Int
  ) -> String {
    let fraction = progress.total.flatMap { total in
      total > 0 ? min(1, max(0, Double(progress.done) / Double(total))) : nil
    }
    let pace = pace(progress, since: first, in: time)
    let percentage = fraction.map { ["\(Int($0 * 100)) %"] } ?? []
    let name = shortened(escapeControls(progress.name), to: 24, isASCII: isASCII)
    let gap = "  "
    for rest in [percentage + [amount(progress)] + pace, percentage + pace] where !rest.isEmpty {
      let rest = gap + rest.joined(separator: gap)
      let room = width - DisplayWidth.of(rest)
      if let fraction {
        let bars = [16, 8, 4].map { width in
          let bar = Bar.text(fraction, width: width, ascii: isASCII)
          return name + gap + (isASCII ? "[\(bar)]" : bar)
        }
        if let head = bars.first(where: { DisplayWidth.of($0) <= room }) { return head + rest }
      }
      if room >= min(8, DisplayWidth.of(name)) {
        return shortened(name, to: room, isASCII: isASCII) + rest
      }
    }
    return (percentage + (pace.isEmpty ? [amount(progress)] : pace)).joined(separator: gap)
  }

  /// Returns the rate and the time that is left, as far as they are known.
  private static func pace(
    _ progress: TransferProgress, since first: Int64, in time: Duration
  ) -> [String] {
    let seconds = time / .seconds(1)
    guard seconds > 0, progress.done > first else { return [] }
    let rate = Double(progress.done - first) / seconds
    let text = "\(amount(Int64(rate), progress))/s"
    guard let total = progress.total, total > progress.done else { return [text] }
    return [text, "\(self.time(Double(total - progress.done) / rate)) left"]
  }

  /// Returns the end of a long name.
  private static func shortened(_ name: String, to width: Int, isASCII: Bool) -> String {
    let ellipsis = isASCII ? "..." : "\u{2026}"
    var end = name[...]
    guard DisplayWidth.of(end) > width else { return name }
    while DisplayWidth.of(end) + ellipsis.count > width, !end.isEmpty { end.removeFirst() }
    return ellipsis + end
  }

  private static func amount(_ progress: TransferProgress) -> String {
    let done = amount(progress.done, progress)
    guard let total = progress.total, total > 0 else { return done }
    return "\(done) of \(amount(total, progress))"
  }

  private static func amount(_ number: Int64, _ progress: TransferProgress) -> String {
    progress.unit.map { "\(number) \($0)" } ?? ByteCount.text(number)
  }

  /// Returns a time such as `5 s`, `2:05 min` or `1:00 h`.
  static func time(_ seconds: Double) -> String {
    guard seconds < 360_000 else { return "days" }
    let seconds = Int(seconds.rounded(.up))
    func pair(_ first: Int, _ second: Int) -> String {
      "\(first):\(second < 10 ? "0" : "")\(second)"
    }
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3600 { return "\(pair(seconds / 60, seconds % 60)) min" }
    return "\(pair(seconds / 3600, seconds % 3600 / 60)) h"
  }
}
