import SwiftBoardStore
import Testing

@testable import SwiftBoardRecording

struct VerificationTests {
  /// Good, damaged, missing, foreign, cut short, and one that differs.
  private func withFiles(_ body: ([String]) throws -> Void) throws {
    try withFolder { folder in
      let log = try Session.example()
      try write(log, to: folder + "/good")
      var damaged = log
      damaged[600] ^= 1
      try write(damaged, to: folder + "/damaged")
      try write(Array(log.dropLast(30)), to: folder + "/cut <&\"#1")
      var lines = read(log).lines
      if case .step(var step) = lines[1] {
        step.action = ["add": ["_0": 3]]
        lines[1] = .step(step)
      }
      try write(LogLine.encode(lines), to: folder + "/differs")
      try body(
        ["good", "damaged", "missing", "cut <&\"#1", "differs", "good"].map { folder + "/" + $0 })
    }
  }

  private func verification(_ workers: Int) -> LogVerification {
    LogVerification(workers: workers) { path throws(ReplayError) in
      try Session.replayer().verify(path: path)
    }
  }

  @Test("every file has its result in order", arguments: [1, 2, 8])
  func everyFileHasItsResultInOrder(workers: Int) throws {
    try withFiles { paths in
      let seen = Box<[LogVerification.Progress]>([])
      let report = verification(workers).run(paths) { now in
        seen.value.withLock { $0.append(now) }
      }
      #expect(report.results.map(\.path) == paths)
      #expect(report.results.map(\.isAgreed) == [true, false, false, true, false, true])
      #expect(report.failures.count == 3)
      let kinds = report.failures.map { result -> String? in
        if case .failure(let error) = result.outcome { error.kind } else { nil }
      }
      #expect(kinds == ["damage", "missing", "diverged"])
      #expect(seen.now.map(\.done) == Array(1...6))
      #expect(seen.now.last?.failed == 3)
      #expect(Set(seen.now.map(\.last.path)) == Set(paths))
      guard case .failure(.diverged(let divergence)) = report.results[4].outcome else {
        Issue.record("no divergence")
        return
      }
      #expect(divergence.step == 1)
      #expect(divergence.line == 2)
    }
  }

  @Test("never more workers than asked") func neverMoreWorkersThanAsked() {
    let running = Box((now: 0, most: 0))
    let verification = LogVerification(workers: 3) { _ throws(ReplayError) in
      running.value.withLock {
        $0.now += 1; $0.most = max($0.most, $0.now)
      }
      defer { running.value.withLock { $0.now -= 1 } }
      return try Session.replayer().replay(
        RotatedLog(LogFile(bytes: (try? Session.example()) ?? [])))
    }
    let report = verification.run((0..<40).map(String.init))
    #expect(report.results.count == 40)
    #expect(report.failures.isEmpty)
    #expect(running.now.most <= 3)
    #expect(verification.run([]).results.isEmpty)
  }

  @Test("TAP has a point a file, and says where it differs")
  func tapHasAPointAFileAndSaysWhereItDiffers() throws {
    try withFiles { paths in
      let text = verification(2).run(paths).tap { error in
        error.kind == "diverged" ? 1 : 99
      }
      let lines = text.split(separator: "\n").map(String.init)
      #expect(lines[0] == "TAP version 14")
      #expect(lines[1] == "1..6")
      let points = lines.filter { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
      #expect(points.count == 6)
      #expect(points[0] == "ok 1 - \(paths[0])")
      #expect(points[3].hasSuffix("cut <&\"\\#1"))
      #expect(points[4].hasPrefix("not ok 5 - "))
      #expect(lines.contains("  step: 1"))
      #expect(lines.contains("    line: 2"))
      #expect(
        lines.filter { $0.hasPrefix("  exit: ") } == ["  exit: 99", "  exit: 99", "  exit: 1"])
      #expect(lines.contains { $0.hasPrefix("    - ") && $0.contains("count: 0") })
      #expect(lines.filter { $0 == "  ---" }.count == lines.filter { $0 == "  ..." }.count)
    }
  }

  @Test("TAP has several warnings as one list") func tapHasWarningsAsOneList() throws {
    try withFolder { folder in
      // The last line is cut short, and the end is missing.
      try write(Array(try Session.example().dropLast(30)), to: folder + "/cut")
      let lines = verification(1).run([folder + "/cut"]).tap { _ in 99 }.split(separator: "\n")
      let start = try #require(lines.firstIndex(of: "  warnings:"))
      let items = lines[(start + 1)...].prefix { $0.hasPrefix("    - \"") }
      #expect(items.count == 2, "\(lines)")
      #expect(lines[start + 1 + items.count] == "  ...")
    }
  }

  @Test("JUnit is well formed") func junitIsWellFormed() throws {
    try withFiles { paths in
      let text = verification(2).run(paths).junit
      #expect(text.contains(#"tests="6" failures="1" errors="2""#))
      #expect(text.contains(#"type="diverged""#))
      #expect(text.contains("cut &lt;&amp;&quot;#1"))
      // Every tag is closed, and there is no bare `&` or `<`.
      var open: [Substring] = []
      for piece in text.split(separator: "<").dropFirst() {
        guard let end = piece.firstIndex(of: ">") else {
          Issue.record("a bare <")
          return
        }
        let tag = piece[..<end]
        if tag.hasPrefix("/") {
          #expect(open.popLast() == tag.dropFirst())
        } else if !tag.hasSuffix("/") {
          open.append(tag.split(separator: " ")[0])
        }
      }
      #expect(open == [])
      for piece in text.split(separator: "&").dropFirst() {
        #expect(["amp;", "lt;", "gt;", "quot;", "#10;", "#9;"].contains { piece.hasPrefix($0) })
      }
    }
  }
}
