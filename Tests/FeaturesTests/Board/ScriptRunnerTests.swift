import Synchronization
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardCommandLine

/// Runs lines whose command is `fail N`, `exit N`, or anything else for success.
private func run(
  _ lines: [String], _ policy: ScriptRunner.Policy = .stopAtFailure
) async throws -> (summary: ScriptSummary, seen: [String]) {
  let seen = Mutex<[String]>([])
  let runner = ScriptRunner(source: ListLineSource(lines, file: "demo.sb"), policy: policy)
  let summary = try await runner.run { line in
    seen.withLock { $0.append("\(line.location) \(line.text)") }
    return outcome(of: line).applying(line.parsed.prefix)
  }
  return (summary, seen.withLock { $0 })
}

private func outcome(of line: ScriptLine) -> LineOutcome {
  guard case .commands(let list) = line.parsed else {
    if case .invalid(let error) = line.parsed {
      return LineOutcome(exitCode: ExitCode.of(error.kind))
    }
    return LineOutcome(exitCode: 70)
  }
  let words = list.commands[0].words.compactMap(\.literal)
  let code = Int32(words.dropFirst().first ?? "") ?? 0
  switch words.first {
  case "fail": return LineOutcome(exitCode: code)
  case "exit": return LineOutcome(exitCode: code, stop: true)
  default: return .success
  }
}

struct ScriptRunnerTests {
  @Test("a script stops at its first failing line")
  func stops() async throws {
    let (summary, seen) = try await run(["ok", "# no line", "", "fail 69", "ok"])
    #expect(seen == ["demo.sb:1 ok", "demo.sb:4 fail 69"])
    #expect(summary.exitCode == 69)
    #expect(summary.lines == 2)
    #expect(summary.failures == 1)
    #expect(summary.firstFailure == LineLocation("demo.sb", line: 4))
  }

  @Test("keep going: all run, the first code counts")
  func keepsGoing() async throws {
    let (summary, seen) = try await run(["fail 5", "ok", "fail 64", "a ;;"], .keepGoing)
    #expect(seen.count == 4)
    #expect(summary.exitCode == 5)
    #expect(summary.message == "3 of 4 lines failed")
    #expect(try await run(["ok"], .keepGoing).summary.message == nil)
    #expect(try await run(["fail 1"], .keepGoing).summary.message == "1 of 1 line failed")
  }

  @Test("a person: failures end nothing and do not count")
  func interactive() async throws {
    let (summary, seen) = try await run(["fail 5", "ok"], .interactive)
    #expect(seen.count == 2)
    #expect(summary.exitCode == 0)
    #expect(try await run(["fail 5", "exit 3", "ok"], .interactive).summary.exitCode == 3)
    #expect(try await run(["fail 5", "exit", "ok"], .interactive).summary.exitCode == 0)
  }

  @Test("exit ends it with its code, and hides no failure")
  func exit() async throws {
    let (summary, seen) = try await run(["ok", "exit 7", "ok"])
    #expect(seen.count == 2)
    #expect(summary.exitCode == 7)
    #expect(summary.didStop)
    #expect(try await run(["exit"]).summary.exitCode == 0)
    #expect(try await run(["fail 4", "exit"], .keepGoing).summary.exitCode == 4)
    #expect(try await run(["fail 4", "exit 9"], .keepGoing).summary.exitCode == 9)
    #expect(try await run([]).summary.exitCode == 0)
  }

  @Test("lines that continue are one line")
  func continuation() async throws {
    let (_, seen) = try await run([
      "put {", "  \"a\": 1", "}", "x \\", "y", "p <<END", "a # b", "END", "q 'r", "# s'",
    ])
    #expect(
      seen == [
        "demo.sb:1 put {\n  \"a\": 1\n}", "demo.sb:4 x \\\ny", "demo.sb:6 p <<END\na # b\nEND",
        "demo.sb:9 q 'r\n# s'",
      ])
  }

  @Test("what stays open at the end is a line that fails")
  func unfinished() async throws {
    let (summary, seen) = try await run(["ok", "a \"b", "c"])
    #expect(seen == ["demo.sb:1 ok", "demo.sb:2 a \"b\nc"])
    #expect(summary.exitCode == 64)
    let runner = ScriptRunner(source: ListLineSource(["a {\n[1,"]), policy: .keepGoing)
    let errors = Mutex<[LineSyntaxError]>([])
    _ = try await runner.run { line in
      if case .invalid(let error) = line.parsed { errors.withLock { $0.append(error) } }
      return .success
    }
    let error = errors.withLock { $0 }.first
    #expect(error?.message == "the '{' opened here is never closed")
    #expect(error?.column == 3)
  }

  @Test(
    "an error inside a text of several lines runs none of them",
    arguments: [
      ["put {{title}} <<E", "fail 5", "E"], ["put <<E", "fail {{x}}", "E"],
      ["put \"\\d", "fail 5", "\""], ["put {\"a\": {{x}},", "fail 5", "}"],
      ["put | c <<E", "fail 5", "E"], ["put << E", "fail 5", "E"],
      ["put <<É", "fail 5", "É"], ["put <<$1", "fail 5", "$1"], ["put <<--E", "fail 5", "-E"],
      ["put a\0 <<E", "fail 5", "E"], ["put <<E", "fail\0", "fail 5", "E"],
    ])
  func errorInLongText(lines: [String]) async throws {
    let (summary, seen) = try await run(lines + ["fail 3"], .keepGoing)
    #expect(
      seen == ["demo.sb:1 " + lines.joined(separator: "\n"), "demo.sb:\(lines.count + 1) fail 3"])
    #expect(summary.exitCode == (lines.joined().contains("\0") ? 65 : 64))
    // Without its end, what follows belongs to it, and no prefix applies.
    var open = lines.dropLast() + ["fail 3", "ok"]
    open[0] = "!" + open[0]
    let rest = try await run(Array(open), .keepGoing)
    #expect(rest.seen == ["demo.sb:1 " + open.joined(separator: "\n")])
    #expect(rest.summary.exitCode == summary.exitCode)
  }

  @Test("a long continued value is not parsed once a line")
  func longValue() async throws {
    var lines = ["put {"]
    lines += (0..<4_000).map { "  \"key \($0)\": [\($0), {\"x\": \"} ]\"}]," }
    lines += ["  \"end\": 0", "}", "ok"]
    let (summary, seen) = try await run([lines.joined(separator: "\n")])
    #expect(seen.count == 2)
    #expect(summary.exitCode == 0)
  }

  @Test(
    "what is left open ends the run at the limit, and what follows is not a line",
    arguments: ["put <<EOF", "put 'x", "put {"], [ScriptRunner.Policy.stopAtFailure, .keepGoing])
  func endlessLine(opening: String, policy: ScriptRunner.Policy) async throws {
    let lines = ["ok", opening] + Array(repeating: "0123456789", count: 20)
    let seen = Mutex<[String]>([])
    let runner = ScriptRunner(
      source: ListLineSource(lines, file: "x.sb"), policy: policy, limit: 100)
    let error = await #expect(throws: LineSourceError.self) {
      try await runner.run { line in
        seen.withLock { $0.append(line.text) }
        return .success
      }
    }
    #expect(error?.kind == .malformedData)
    #expect(error?.message == "x.sb:2: a line of more than 100 bytes")
    #expect(seen.withLock { $0 } == ["ok"])
  }

  @Test(
    "prefixes",
    arguments: [
      (LinePrefix.mustFail, Int32(0), Int32(1)), (.mustFail, 64, 0), (.mustFail, 130, 0),
      (.mayFail, 0, 0), (.mayFail, 69, 0), (.mayFail, 130, 0), (.time, 5, 5), (.time, 0, 0),
    ])
  func prefixes(prefix: LinePrefix, code: Int32, expected: Int32) {
    let outcome = LineOutcome(exitCode: code).applying(prefix)
    #expect(outcome.exitCode == expected)
    #expect((outcome.message != nil) == (prefix == .mustFail && code == 0))
    #expect(LineOutcome(exitCode: code, stop: true).applying(prefix).exitCode == code)
    #expect(LineOutcome(exitCode: code, isInterrupted: true).applying(prefix).exitCode == code)
    #expect(LineOutcome(exitCode: code).applying(nil).exitCode == code)
  }

  @Test("prefixes in a script, also before a line that does not parse")
  func prefixedScript() async throws {
    let (summary, seen) = try await run(["! fail 3", "-fail 4", "! a ;;", "- b > ", "! ok", "ok"])
    #expect(seen.count == 5)
    #expect(summary.exitCode == 1)
  }

  @Test(
    "no prefix applies to a line that never ends",
    arguments: ["! a 'b", "- a {", "-a <<X", "- a << X", "! a <<-X"])
  func unfinishedAfterPrefix(line: String) async throws {
    let (summary, seen) = try await run([line, "ok"])
    #expect(seen.count == 1 && summary.exitCode == 64)
  }

  @Test("Ctrl-C drops a half-typed line, and reading goes on")
  func interrupted() async throws {
    let reader = ScriptedReader([
      .line("a {"), .interrupted(hadText: false), .interrupted(hadText: false),
      .interrupted(hadText: true), .line("b"),
      .endOfInput,
    ])
    let prompts = Mutex<[Bool]>([])
    let source = PromptedLineSource(reader: reader) { isContinuation in
      prompts.withLock { $0.append(isContinuation) }
      return isContinuation ? "... " : "> "
    }
    let interrupts = Mutex<[Bool]>([])
    let seen = Mutex<[String]>([])
    _ = try await ScriptRunner(source: source, policy: .interactive).run(
      onInterrupt: { hadText in interrupts.withLock { $0.append(hadText) } },
      { line in
        seen.withLock { $0.append("\(line.location) \(line.text)") }
        return .success
      })
    #expect(interrupts.withLock { $0 } == [true, false, true])
    #expect(seen.withLock { $0 } == ["line 2 b"])
    #expect(prompts.withLock { $0 } == [false, true, false, false, false, false])
  }

  @Test("malformed text reaches the handler as a line, with its offset from the first one")
  func malformedText() async throws {
    let source = MalformedBrace()
    let summary = try await ScriptRunner(source: source, policy: .stopAtFailure).run { line in
      #expect(line.text == "a {\nb\n}")
      guard case .invalid(let error) = line.parsed else { return .success }
      #expect(error.lineOffset == 1)
      #expect(error.column == 2)
      #expect(line.location == LineLocation("p", line: 1))
      return LineOutcome(exitCode: ExitCode.of(error.kind))
    }
    #expect(summary.exitCode == 65)
  }
}

/// A person whose answers are known.
private final class ScriptedReader: LineReader {
  private let answers: Mutex<[LineRead]>

  init(_ answers: [LineRead]) { self.answers = Mutex(answers.reversed()) }

  func readLine(prompt: String) async throws(LineSourceError) -> LineRead {
    answers.withLock { $0.popLast() } ?? .endOfInput
  }
}

/// A line that is continued by malformed text.
private final class MalformedBrace: LineSource {
  private let lines = Mutex(["}", "b", "a {"])

  func next(isContinuation: Bool) async throws(LineSourceError) -> NextLine {
    let (text, left) = lines.withLock { ($0.popLast(), $0.count) }
    guard let text else { return .end }
    let problem = LineSyntaxError("invalid UTF-8", column: 2, kind: .malformedData)
    return .line(
      SourceLine(
        text: text, location: LineLocation("p", line: 3 - left),
        problem: text == "b" ? problem : nil))
  }
}
