/// Determines the most likely cause of a wrong line sum, from the line and the next one.
///
/// The chain of sums distinguishes kinds of damage. A sum also covers the previous line, so
/// swapped, repeated and missing lines differ from a changed byte.
struct LogDiagnosis {
  /// The last correct sum and the last correct step.
  let previous: Digest?
  let step: Int
  /// The wrong line, its number and its offset.
  let number: Int
  let offset: Int
  let line: ArraySlice<UInt8>
  let following: ArraySlice<UInt8>?

  func damage(computed: Digest, stated: Digest) -> LogDamage {
    let next = following.flatMap(HashChain.split)
    let content = try? LogLineParser.parse(line)

    guard previous != nil else {
      if let content, !content.isHeader {
        return report(
          "the log does not begin with its header", expected: #"{"k":"log",..."#,
          found: "a line of another kind")
      }
      return report(changed, computed, stated)
    }
    if stated == previous {
      return report("the line is the one before it once more", computed, stated)
    }
    if let next, HashChain.sum(of: next.body, after: previous) == next.sum {
      // The next line belongs at the position of this one.
      if let split = HashChain.split(line),
        HashChain.sum(of: split.body, after: next.sum) == stated
      {
        return report("lines \(number) and \(number + 1) are swapped", computed, stated)
      }
      return report(
        "the line does not belong here: line \(number + 1) follows line \(number - 1)", computed,
        stated)
    }
    if case .step(let found)? = content, found.n != step + 1, !isMisnumbered(found) {
      let fault = LogValidator.gap(from: step, to: found.n)
      return report(fault.message, expected: fault.expected, found: fault.found)
    }
    return report(changed, computed, stated)
  }

  private var changed: String {
    number == 1
      ? "the sum is wrong: the line was changed"
      : "the sum is wrong: the line was changed, or lines before it are missing"
  }

  /// Returns whether the number of `found` was changed: the next step continues as if `found` had
  /// the expected number.
  private func isMisnumbered(_ found: LogStep) -> Bool {
    guard let following, case .step(let next)? = try? LogLineParser.parse(following) else {
      return false
    }
    return next.n == step + 2
  }

  private func report(_ message: String, _ computed: Digest, _ stated: Digest) -> LogDamage {
    report(
      message, expected: "the sum \(computed)", found: "\(stated)")
  }

  private func report(_ message: String, expected: String, found: String) -> LogDamage {
    LogDamage(
      line: number, offset: offset, expected: expected, content: .words(found), message: message)
  }
}

extension LogLine {
  var isHeader: Bool {
    if case .header = self { true } else { false }
  }
}
