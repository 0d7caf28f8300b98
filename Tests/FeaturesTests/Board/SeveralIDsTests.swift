import SwiftBoardCommandLine
import SwiftBoardJSON
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

@Suite("Effects with several ids on the board")
struct SeveralIDsTests {
  private func printed(_ action: BoardAction) throws -> Outcome {
    try #require(BoardFeatures.all.outcome(of: action, in: BoardState()))
  }

  @Test("'effects' lists all of them, and one alone as before")
  func effects() throws {
    let lines = [
      EffectLine(name: "a", id: "pool", ids: ["pool", "x"], phase: "running", step: 1),
      EffectLine(name: "b", id: "x", phase: "running", step: 2),
      EffectLine(name: "c", id: nil, phase: "running", step: 3),
    ]
    let outcome = try printed(
      .shell(
        .run(context: context("effects", "effects", job: 1), command: .effects(effects: lines))))
    #expect(
      outcome.value == [
        ["name": "a", "id": "pool", "ids": ["pool", "x"], "phase": "running", "step": 1],
        ["name": "b", "id": "x", "phase": "running", "step": 2],
        ["name": "c", "id": nil, "phase": "running", "step": 3],
      ])
    guard case .table(_, let rows) = outcome.presentation else {
      Issue.record("\(outcome.presentation)")
      return
    }
    #expect(rows.map { $0[1] } == ["pool, x", "x", ""])
    // The action is in recordings, where what has one id stays as it was.
    #expect(
      String(decoding: try CanonicalEncoder.encode(lines[1]), as: UTF8.self)
        == #"{"id":"x","name":"b","phase":"running","step":2}"#)
  }

  @Test("'session timeline' gives all of them")
  func timeline() throws {
    let spans = [["pool", "x"], nil].map { ids in
      SessionTimeline.Span(
        name: "a", id: "pool", ids: ids, first: 1, last: 2, end: .finished, actions: 1)
    }
    let timeline = SessionTimeline(entries: [], spans: spans, isTruncated: false)
    let outcome = try printed(.session(.succeeded(job: 1, result: .timeline(timeline: timeline))))
    #expect(
      outcome.value["effects"] == [
        [
          "name": "a", "id": "pool", "ids": ["pool", "x"], "first": 1, "last": 2,
          "end": "finished", "actions": 1,
        ],
        ["name": "a", "id": "pool", "first": 1, "last": 2, "end": "finished", "actions": 1],
      ])
  }
}
