import SwiftBoardRecording
import Testing

/// Exported from a recording of "counter 1.0, counter, CounterAction 1".
struct RecordedTests {
  @Test func theRecordingReplays() throws {
    let journal = DrawJournal()
    var run = try RecordedRun(
      reducer: CounterReducer(), dependencies: CounterWorld(journal), journal: journal,
      state: #"{"count":0,"rolls":[]}"#)

    // 1: "user add \"2\"\t\u03c0 (demo.sb:7)"
    #expect(
      try run.step(
        #"{"add":{"_0":2}}"#,
        changes: ["count": "2"]
      ) == [])

    // 2: "link swiftboard://counter/roll"
    #expect(
      try run.step(
        #"{"roll":{"times":2}}"#,
        draws: [LoggedDraw(kind: .random, value: "100"), LoggedDraw(kind: .random, value: "101")],
        changes: ["rolls[0]": "100", "rolls[1]": "101"]
      ) == [])

    // 3: "program test"
    #expect(
      try run.step(
        #"{"stamp":{}}"#,
        draws: [LoggedDraw(kind: .date, value: "2026-11-20T22:45:01.250331Z")],
        changes: ["since": #""2026-11-20T22:45:01.250331Z""#]
      ) == [])

    // 4: "effect task id a/1 of step 1"
    #expect(
      try run.step(
        #"{"add":{"_0":-1}}"#,
        changes: ["count": "1"]
      ) == [])

    // 5: "effect task of step 2"
    #expect(
      try run.step(
        #"{"add":{"_0":7}}"#,
        changes: ["count": "8"]
      ) == [])

    // 6: "program test"
    #expect(
      try run.step(
        #"{"roll":{"times":1}}"#,
        draws: [LoggedDraw(kind: .random, value: "102")],
        changes: ["rolls[2]": "102"]
      ) == [])

    // 7: "program test"
    #expect(
      try run.step(
        #"{"stop":{}}"#,
        changes: [:]
      ) == [])
  }
}
