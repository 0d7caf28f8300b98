import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

/// The result of `api stats`: how many requests there were, and how the last answers came.
public struct APIStatistics: Codable, Sendable, Equatable {
  /// An answer.
  public struct Answer: Codable, Sendable, Equatable {
    /// The status code.
    public var status: Int
    /// Microseconds from the beginning of the exchange to its last byte.
    public var microseconds: Int64
    /// Bytes of the body as received.
    public var bytes: Int
    /// Whether the cache had a part in it.
    public var verdict: CacheVerdict
  }

  /// Requests since the start.
  public var requests: Int
  /// How many of them were answered.
  public var answered: Int
  /// How many are in flight.
  public var inFlight: Int
  /// The last answers, the oldest first.
  public var answers: [Answer]

  init(_ state: APIState) {
    requests = state.requests
    answered = state.answered
    inFlight = state.pending.count
    answers = state.answers.reversed().map {
      Answer(status: $0.status, microseconds: $0.microseconds, bytes: $0.bytes, verdict: $0.verdict)
    }
  }

  /// Returns the figures as a record. A drawing follows each of them if `draws`.
  func outcome(_ job: Int, draws: Bool, isASCII: Bool) -> Outcome {
    let times = answers.map { Int($0.microseconds / 1000) }
    let classes = Dictionary(grouping: answers, by: { $0.status / 100 }).mapValues(\.count)
      .sorted { $0.key < $1.key }
    let verdicts = CacheVerdict.allCases.compactMap { verdict in
      let count = answers.count { $0.verdict == verdict }
      return count > 0 ? (name: verdict.rawValue, count: count) : nil
    }
    var fields = [
      ("requests", "\(requests)"), ("answered", "\(answered)"), ("in flight", "\(inFlight)"),
    ]
    func drawn(_ count: Int, _ width: Int) -> String {
      let number = String(count)
      guard draws else { return number }
      let padding = String(repeating: " ", count: max(1, 5 - number.count))
      return number + padding + Bar.text(count, of: answers.count, width: width, ascii: isASCII)
    }
    if let middle = times.sorted().dropFirst(times.count / 2).first {
      let line = draws ? "  " + Sparkline.text(times, ascii: isASCII) : ""
      fields.append(("last \(times.count)", "\(middle) ms in the middle\(line)"))
      fields.append(("fastest", "\(times.min() ?? 0) ms"))
      fields.append(("slowest", "\(times.max() ?? 0) ms"))
    }
    fields += classes.map { ("\($0.key)xx", drawn($0.value, 20)) }
    fields += verdicts.map { ($0.name, drawn($0.count, 20)) }
    return Outcome(
      job: job,
      value: [
        "requests": JSON(requests), "answered": JSON(answered), "inFlight": JSON(inFlight),
        "milliseconds": .array(times.map { JSON($0) }),
        "bytes": .array(answers.map { JSON($0.bytes) }),
        "statuses": .object(classes.map { .init("\($0.key)xx", JSON($0.value)) }),
        "verdicts": .object(verdicts.map { .init($0.name, JSON($0.count)) }),
      ], presentation: .fields(fields))
  }
}
