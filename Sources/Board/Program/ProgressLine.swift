import SwiftBoardDependencies
import SwiftBoardSystem
import Synchronization

/// A terminal line that shows the progress of a transfer, updated at most five times per second.
final class ProgressLine: Sendable {
  private struct State {
    var begin: ContinuousClock.Instant?
    /// The time of the last update.
    var last: ContinuousClock.Instant?
    var first: Int64 = 0
    /// The width of the line in columns.
    var width = 0
  }

  private static let pause = Duration.milliseconds(200)
  private let write: @Sendable (String) -> Void
  private let state = Mutex(State())

  /// Creates a line.
  ///
  /// - Parameter write: Writes to the terminal.
  init(write: @escaping @Sendable (String) -> Void) { self.write = write }

  func show(_ progress: TransferProgress?) {
    let now = ContinuousClock.now
    let text: String? = state.withLock { state in
      guard let progress else {
        let width = state.width
        state = State()
        return width > 0 ? "\r\(String(repeating: " ", count: width))\r" : nil
      }
      guard let begin = state.begin else {
        state.begin = now
        state.last = now
        state.first = progress.done
        return nil
      }
      guard let last = state.last, now - last >= Self.pause else { return nil }
      state.last = now
      let line = Self.line(progress, since: state.first, in: now - begin)
      let blanks = String(repeating: " ", count: max(0, state.width - line.count))
      state.width = line.count
      return "\r\(line)\(blanks)"
    }
    if let text { write(text) }
  }

  /// Formats the line, for example `big.iso  512 MB of 1.0 GB  51 %  98.2 MB/s`.
  private static func line(
    _ progress: TransferProgress, since first: Int64, in time: Duration
  ) -> String {
    var parts = [shortened(progress.name)]
    if let total = progress.total, total > 0 {
      parts.append("\(size(progress.done)) of \(size(total))")
      parts.append("\(min(100, Int(Double(progress.done) * 100 / Double(total)))) %")
    } else {
      parts.append(size(progress.done))
    }
    let seconds = time / .seconds(1)
    if seconds > 0 { parts.append("\(size(Int64(Double(progress.done - first) / seconds)))/s") }
    return parts.joined(separator: "  ")
  }

  private static func shortened(_ name: String) -> String {
    let name = String(
      String.UnicodeScalarView(name.unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }))
    return name.count > 24 ? "..." + name.suffix(21) : name
  }

  private static func size(_ bytes: Int64) -> String {
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
