import SwiftBoardCommandLine
import SwiftBoardDependencies

/// The text that shows how far a transfer is.
enum ProgressText {
  /// Returns one line, for example `big.iso  [###...]  51 %  512 MB of 1.0 GB  98 MB/s  5 s left`.
  ///
  /// - Parameters:
  ///   - first: What was done when the time began.
  ///   - time: The time since then.
  static func line(
    _ progress: TransferProgress, since first: Int64, in time: Duration, isASCII: Bool
  ) -> String {
    var parts = [shortened(progress.name, isASCII: isASCII)]
    if let total = progress.total, total > 0 {
      let fraction = min(1, max(0, Double(progress.done) / Double(total)))
      let bar = Bar.text(fraction, width: 16, ascii: isASCII)
      parts.append(isASCII ? "[\(bar)]" : bar)
      parts.append("\(Int(fraction * 100)) %")
      parts.append("\(amount(progress.done, progress)) of \(amount(total, progress))")
    } else {
      parts.append(amount(progress.done, progress))
    }
    let seconds = time / .seconds(1)
    guard seconds > 0, progress.done > first else { return parts.joined(separator: "  ") }
    let rate = Double(progress.done - first) / seconds
    parts.append("\(amount(Int64(rate), progress))/s")
    if let total = progress.total, total > progress.done {
      parts.append("\(self.time(Double(total - progress.done) / rate)) left")
    }
    return parts.joined(separator: "  ")
  }

  /// Returns the end of a long name.
  private static func shortened(_ name: String, isASCII: Bool) -> String {
    let name = escapeControls(name)
    let ellipsis = isASCII ? "..." : "\u{2026}"
    return name.count > 24 ? ellipsis + name.suffix(24 - ellipsis.count) : name
  }

  private static func amount(_ number: Int64, _ progress: TransferProgress) -> String {
    progress.unit.map { "\(number) \($0)" } ?? size(number)
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

  static func size(_ bytes: Int64) -> String {
    let units = ["kB", "MB", "GB", "TB"]
    guard bytes >= 1000 else { return "\(bytes) B" }
    var value = Double(bytes)
    var unit = -1
    while value >= 1000, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    let tenths = Int(value * 10)
    return tenths >= 1000
      ? "\(tenths / 10) \(units[unit])"
      : "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
