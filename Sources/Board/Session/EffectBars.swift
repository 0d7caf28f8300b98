/// A drawing of the effects next to the rows of a timeline, one lane per effect. The lane of an
/// ended effect is reused.
///
/// ```
/// o api.request     begins at this row
/// |                 runs
/// *                 ended with its action
/// x                 was cancelled
/// ?                 nothing more is known of it
/// ```
struct EffectBars {
  /// The maximum number of lanes. Effects without a lane are counted.
  static let limit = 8

  private let lanes: [[SessionTimeline.Span]]
  private let others: [SessionTimeline.Span]
  private let isASCII: Bool

  init(_ spans: [SessionTimeline.Span], isASCII: Bool) {
    var lanes: [[SessionTimeline.Span]] = []
    var others: [SessionTimeline.Span] = []
    let inOrder = spans.sorted { ($0.first, $0.last, $0.name) < ($1.first, $1.last, $1.name) }
    // Effects without a known end come last, so that they do not displace the effects that end.
    for span in inOrder.filter({ $0.end != .open }) + inOrder.filter({ $0.end == .open }) {
      if let lane = lanes.firstIndex(where: { ($0.last?.last ?? -1) < span.first }) {
        lanes[lane].append(span)
      } else if lanes.count < EffectBars.limit {
        lanes.append([span])
      } else {
        others.append(span)
      }
    }
    self.lanes = lanes
    self.others = others
    self.isASCII = isASCII
  }

  /// Returns the cells next to `rows`, which must be in ascending order. O(lanes × (rows +
  /// effects)).
  ///
  /// `isStep` is false for a row that follows a step without being one.
  func cells(_ rows: [(step: Int, isStep: Bool)]) -> [String] {
    var next = lanes.map { _ in 0 }
    return rows.map { row in
      var bars = ""
      var names: [String] = []
      for lane in lanes.indices {
        while next[lane] < lanes[lane].count, lanes[lane][next[lane]].last < row.step {
          next[lane] += 1
        }
        guard next[lane] < lanes[lane].count else {
          bars += "  "
          continue
        }
        let span = lanes[lane][next[lane]]
        bars += glyph(span, row.step, row.isStep) + " "
        if row.isStep, span.first == row.step { names.append(span.name) }
      }
      let hidden = others.filter { row.isStep && $0.first == row.step }
      if !hidden.isEmpty { names.append("+\(hidden.count)") }
      while bars.hasSuffix(" ") { bars.removeLast() }
      return ([bars] + names).filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  private func glyph(_ span: SessionTimeline.Span, _ step: Int, _ isStep: Bool) -> String {
    guard span.first <= step else { return " " }
    if isStep, step == span.first { return isASCII ? "o" : "\u{25CB}" }
    if step < span.last { return isASCII ? "|" : "\u{2502}" }
    guard isStep, step == span.last else { return " " }
    switch span.end {
    case .finished: return isASCII ? "*" : "\u{25CF}"
    case .cancelled: return isASCII ? "x" : "\u{2715}"
    case .silent: return "?"
    case .open: return isASCII ? "|" : "\u{2502}"
    }
  }
}
