import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import Testing

@testable import SwiftBoardRecording

struct GraphTests {
  @Test("the observed state machine has its labels and counts")
  func theObservedStateMachineHasItsLabelsAndCounts() throws {
    let navigator = try TravelTests.navigator(try Session.example())
    let graph = try navigator.stateGraph { $0.count > 1 ? "many" : $0.count == 0 ? "none" : "one" }
    #expect(graph.first == "none")
    #expect(graph.nodes == ["none": 1, "one": 1, "many": 6])
    #expect(
      graph.edges == [
        .init(from: "none", action: "add", to: "many"): 1,
        .init(from: "many", action: "roll", to: "many"): 2,
        .init(from: "many", action: "stamp", to: "many"): 1,
        .init(from: "many", action: "add", to: "one"): 1,
        .init(from: "one", action: "add", to: "many"): 1,
        .init(from: "many", action: "stop", to: "many"): 1,
      ])
    #expect(
      graph.graphviz == """
        digraph "states" {
          "" [label="", shape=point];
          "" -> "s:none";
          "s:many" [label="many\\n6", shape=box];
          "s:none" [label="none\\n1", shape=box];
          "s:one" [label="one\\n1", shape=box];
          "s:many" -> "s:many" [label="roll x2"];
          "s:many" -> "s:many" [label="stamp x1"];
          "s:many" -> "s:many" [label="stop x1"];
          "s:many" -> "s:one" [label="add x1"];
          "s:none" -> "s:many" [label="add x1"];
          "s:one" -> "s:many" [label="add x1"];
        }

        """)
  }

  @Test("a path may name the states") func aPathMayNameTheStates() throws {
    let navigator = try TravelTests.navigator(try Session.example())
    let graph = try navigator.stateGraph(by: try JSONPath(parsing: "since"))
    #expect(graph.nodes == ["nothing": 3, #""2026-11-20T22:45:01.250331Z""#: 5])
  }

  @Test("states that differ behind the beginning of their labels are different states")
  func longStates() throws {
    let sink = MemorySink()
    let session = try Session(sink)
    for _ in 1...3 { session.send(.roll(times: 1)) }
    session.recorder.stop()
    let navigator = try TravelTests.navigator(sink.bytes)
    let start = String(repeating: "x", count: 300)
    let graph = try navigator.stateGraph(by: try JSONPath(parsing: "rolls")) { value in
      .string("\(start)\(value.elements?.count ?? 9)")
    }
    let label = "\"\(start.prefix(79))... (303 bytes)"
    #expect(graph.nodes == [label: 1, label + " #2": 1, label + " #3": 1, label + " #4": 1])

    var labels = StateLabels(limit: 2)
    let found = ["a", "b", "a", "c", "b"].map { labels.label(of: start + $0) }
    let first = "\(start.prefix(80))... (301 bytes)"
    #expect(found == [first, first + " #2", first, StateGraph.other, first + " #2"])
    #expect(labels.label(of: "short") == "short")
  }

  @Test("a character with any number of marks does not lengthen a label")
  func combiningMarks() {
    let character = "e" + String(repeating: "\u{301}", count: 3000)
    let text = String(repeating: character, count: 60)
    #expect(text.count == 60)
    #expect(shortened(text, to: 80).unicodeScalars.count == 320 + "... (360060 bytes)".count)
    let flags = String(repeating: "\u{1F1E9}\u{1F1EA}", count: 80)
    #expect(shortened(flags, to: 80) == flags)
    #expect(shortened(flags + "x", to: 80) == flags + "... (641 bytes)")
  }

  @Test("labels are bounded") func labelsAreBounded() throws {
    let (bytes, _) = try TravelTests.log(200)
    let graph = try TravelTests.navigator(bytes).stateGraph(limit: 10) { "\($0.count)" }
    #expect(graph.nodes.count == 11)
    #expect(graph.nodes.values.reduce(0, +) == 201)
    #expect(graph.edges.values.reduce(0, +) == 200)
  }

  @Test("causes form a tree") func causesFormATree() throws {
    let tree = try CausalTree(RotatedLog(LogFile(bytes: try TimelineTests.log())))
    #expect(tree.rootSteps == [1, 4, 6])
    #expect(
      tree.graphviz() == #"""
        digraph "causes" {
          "1" [label="1 add", shape=box];
          "by 1" [label="\"user add 1 (a.sb:1)\"", shape=plaintext];
          "by 1" -> "1";
          "2" [label="2 add", shape=box];
          "1" -> "2" [label="watch list/row/watch"];
          "3" [label="3 add", shape=box];
          "1" -> "3" [label="load list/load"];
          "4" [label="4 roll", shape=box];
          "by 4" [label="\"link x://roll\"", shape=plaintext];
          "by 4" -> "4";
          "5" [label="5 add", shape=box];
          "1" -> "5" [label="tick"];
          "6" [label="6 stop", shape=box];
          "by 6" [label="\"program test\"", shape=plaintext];
          "by 6" -> "6";
        }

        """#)
    #expect(!tree.isTruncated)
  }

  @Test("a range of the tree has its own roots") func aRangeOfTheTreeHasItsOwnRoots() throws {
    let tree = try CausalTree(RotatedLog(LogFile(bytes: try TimelineTests.log())), steps: 3...5)
    #expect(tree.rootSteps == [3, 4, 5])
    #expect(tree.isTruncated)
  }

  @Test("a long chain of causes is no problem") func aLongChainOfCausesIsNoProblem() throws {
    let sink = MemorySink()
    let session = try Session(sink, options: .init(durability: .none))
    for n in 1...3000 {
      session.send(
        .add(1), by: n == 1 ? .program("p") : .effect(name: "e", id: nil, step: n - 1))
    }
    session.recorder.stop()
    let tree = try CausalTree(RotatedLog(LogFile(bytes: sink.bytes)))
    #expect(tree.rootSteps == [1])
    #expect(
      tree.graphviz().split(separator: "\n").filter { $0.contains("shape=box") }.count == 3000)
  }

  @Test("Graphviz takes any text") func graphvizTakesAnyText() {
    #expect(Graphviz.quoted("a\"b\\c\nd\u{7}") == #""a\"b\\c\nd ""#)
    // XML cannot contain them.
    #expect(Graphviz.quoted("a\u{FFFE}b\u{FFFF}") == #""a\\u{fffe}b\\u{ffff}""#)
  }

  /// `dot` itself, where it is there.
  @Test("DOT reads what is written", .enabled(if: access("/usr/bin/dot", X_OK) == 0))
  func dotReadsWhatIsWritten() throws {
    try withFolder { folder in
      let log = RotatedLog(LogFile(bytes: try TimelineTests.log()))
      try write(try CausalTree(log).graphviz(), to: folder + "/a.dot")
      let words = ["/usr/bin/dot", "-Tplain", "-o/dev/null", folder + "/a.dot"]
      #expect(try ChildProgram(words).wait() == 0)
    }
  }

  @Test("statistics count everything") func statisticsCountEverything() throws {
    let bytes = try TimelineTests.log()
    let found = try LogStatistics(RotatedLog(LogFile(bytes: bytes)))
    #expect(found.steps == 6)
    #expect(found.microseconds == 1500)
    #expect(found.bytes == bytes.count)
    #expect(found.lines == 10)
    let lengths = split(bytes).filter { $0.starts(with: #"{"k":"step""#.utf8) }.map(\.count)
    #expect(found.bytesPerStep == Double(lengths.reduce(0, +)) / 6)
    #expect(found.draws == 1)
    #expect((found.issues, found.marks, found.snapshots, found.digests) == (1, 1, 0, 6))
    #expect(found.actions == ["add": 4, "roll": 1, "stop": 1])
    #expect(found.origins == [.user: 1, .effect: 3, .link: 1, .program: 1])
    let load = try #require(found.effects["load"])
    #expect((load.count, load.finished, load.steps, load.microseconds) == (1, 1, 2, 500))
    #expect(found.effects["watch"]?.cancelled == 1)
    #expect(found.effects["tick"]?.silent == 1)
    #expect(found.effects["tick"]?.actions == 1)
    #expect(found.gaps.map(\.microseconds) == [250, 250, 250, 250, 250])
    #expect(found.warnings == [])
  }

  @Test("the longest gaps are kept") func theLongestGapsAreKept() throws {
    var lines = read(try TimelineTests.log()).lines
    var shift: Int64 = 0
    for index in lines.indices {
      guard case .step(var step) = lines[index] else { continue }
      shift += [2: 5_000_000, 5: 9_000_000][step.n] ?? 0
      step.t += shift
      lines[index] = .step(step)
    }
    let found = try LogStatistics(RotatedLog(LogFile(bytes: LogLine.encode(lines))), gaps: 2)
    #expect(
      found.gaps == [
        .init(after: 4, microseconds: 9_000_250), .init(after: 1, microseconds: 5_000_250),
      ])
  }
}

extension CausalTree {
  /// The steps that no effect of the range sent, which the drawing joins to their senders.
  var rootSteps: [Int] {
    graphviz().matches(of: /"by \d+" -> "(\d+)"/).compactMap { Int($0.output.1) }
  }
}
