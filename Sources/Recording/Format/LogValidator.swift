import SwiftBoardJSON

/// Checks the lines of a log against those before them: order, numbering, time and digests.
struct LogValidator {
  /// The number of the last step, or 0 before the first.
  private(set) var step = 0
  private(set) var ended = false

  private var begun = false
  private(set) var time: Int64 = 0
  /// The digest after `step`, or `nil` if that step has none.
  private var digest: Digest?
  private var digestEvery = 1
  private var stepsWithoutDigest = 0

  init() {}

  /// Creates a validator that has admitted the lines up to a step with a digest.
  init(step: Int, time: Int64, digest: Digest, digestEvery: Int) {
    begun = true
    (self.step, self.time) = (step, time)
    (self.digest, self.digestEvery) = (digest, digestEvery)
  }

  mutating func admit(_ line: LogLine) throws(LogReadError) {
    guard !ended else {
      throw .fault(
        "there is more behind the end line", expected: "the end of the file",
        found: "another line")
    }
    if case .header(let header) = line {
      guard !begun else {
        throw .fault("the log has a second header", expected: "one header", found: "another")
      }
      begun = true
      try compare(header.state, with: header.digest, "the header's state")
      digest = header.digest
      digestEvery = header.digestEvery ?? 1
      return
    }
    guard begun else {
      throw .fault(
        "the log does not begin with its header", expected: #"{"k":"log",..."#,
        found: "another line")
    }
    switch line {
    case .header, .unknown: break
    case .step(let step): try admit(step)
    case .issue(let issue): try position(issue.n, "an issue")
    case .mark(let mark): try position(mark.n, "a mark")
    case .snapshot(let snapshot):
      guard snapshot.n == step else {
        throw .fault(
          "a snapshot of step \(snapshot.n) stands behind step \(step)",
          expected: "\"n\":\(step)", found: "\"n\":\(snapshot.n)")
      }
      if let digest, digest != snapshot.digest {
        throw .fault(
          "the snapshot of step \(step) has another digest than the step",
          expected: digest.description, found: "\(snapshot.digest)")
      }
      try compare(snapshot.state, with: snapshot.digest, "the snapshot of step \(step)")
    case .end(let end):
      guard end.n == step else {
        throw .fault(
          "the end line counts \(end.n) step\(end.n == 1 ? "" : "s"), the log has \(step)",
          expected: "\"n\":\(step)", found: "\"n\":\(end.n)")
      }
      guard let digest else {
        throw .fault(
          "step \(step) is the last and has no digest", expected: "a digest", found: "none"
        )
      }
      guard digest == end.digest else {
        throw .fault(
          "the end line has another digest than step \(step)",
          expected: digest.description, found: "\(end.digest)")
      }
      ended = true
    }
  }

  /// Admits a valid step. Returns `false` without a change if the step is invalid.
  mutating func admitQuickly(_ next: StepScanner.Bare) -> Bool {
    let without = next.digest == nil ? stepsWithoutDigest + 1 : 0
    guard begun, !ended, next.n == step + 1, Int64(next.t) >= time, next.cause ?? 0 < next.n,
      without < digestEvery
    else { return false }
    stepsWithoutDigest = without
    step = next.n
    time = Int64(next.t)
    digest = next.digest
    return true
  }

  private mutating func admit(_ next: LogStep) throws(LogReadError) {
    guard next.n == step + 1 else {
      throw .damage(LogValidator.gap(from: step, to: next.n))
    }
    guard next.t >= time else {
      throw .fault(
        "time runs backwards at step \(next.n)", expected: "t from \(time)",
        found: "t \(next.t)")
    }
    if case .effect(_, _, let origin) = next.origin, origin >= next.n {
      throw .fault(
        "step \(next.n) comes from an effect of step \(origin), which is not before it",
        expected: "a step before \(next.n)", found: "step \(origin)")
    }
    stepsWithoutDigest = next.digest == nil ? stepsWithoutDigest + 1 : 0
    guard stepsWithoutDigest < digestEvery else {
      throw .fault(
        "step \(next.n) has no digest",
        expected: digestEvery == 1 ? "a digest" : "a digest every \(digestEvery) steps",
        found: "none")
    }
    step = next.n
    time = next.t
    digest = next.digest
  }

  /// Returns the damage to report if step `found` follows step `last`.
  static func gap(from last: Int, to found: Int) -> LogDamage {
    let message =
      switch found {
      case last + 2: "step \(last + 1) is missing: step \(found) follows step \(last)"
      case last + 3:
        "steps \(last + 1) and \(last + 2) are missing: step \(found) follows step \(last)"
      case (last + 4)...:
        "steps \(last + 1) to \(found - 1) are missing: step \(found) follows step \(last)"
      case last where last > 0: "step \(found) is there twice"
      default: "steps are out of order: step \(found) follows step \(last)"
      }
    return LogDamage(
      line: 0, offset: 0, expected: "step \(last + 1)", content: "step \(found)", message: message)
  }

  private func position(_ n: Int, _ what: String) throws(LogReadError) {
    guard n <= step else {
      throw .fault(
        "\(what) of step \(n) stands behind step \(step)",
        expected: "\"n\" up to \(step)", found: "\"n\":\(n)")
    }
  }

  private func compare(
    _ state: JSON, with digest: Digest, _ what: String
  ) throws(LogReadError) {
    guard matches(digest, state) else {
      throw .fault(
        "\(what) does not match its digest", expected: digest.description,
        found: "\(Digest(of: canonical(state)))")
    }
  }
}
