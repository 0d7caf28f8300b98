import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardJSON
import Testing

@testable import SwiftBoardFeatures

@Suite("Notes about the source of a value")
struct CacheVerdictNotesTests {
  private func notes(_ verdict: CacheVerdict, _ reason: String? = nil) -> [String] {
    verdict.notes(staleReason: reason, from: "program", advice: "ask again").map(\.text.text)
  }

  @Test("only a stale value has a note, which says why or how to ask again")
  func notes() {
    for verdict in CacheVerdict.allCases {
      #expect(notes(verdict) == (verdict == .stale ? ["this is a kept answer; ask again"] : []))
    }
    #expect(
      notes(.stale, "no route") == [
        "this is a kept answer; the program did not confirm it: no route"
      ])
  }

  @Test("the source ends a line, except without the cache")
  func suffix() {
    #expect(
      CacheVerdict.allCases.map(\.suffix) == ["  HIT", "  MISS", "  REVALIDATED", "  STALE", ""])
  }

  @Test("recordings keep the reason as `stale`")
  func recordedReason() throws {
    let answer = ServiceAnswer("a", verdict: .stale, staleReason: "why")
    #expect(
      String(decoding: try CanonicalEncoder.encode(answer), as: UTF8.self)
        == #"{"stale":"why","value":"a","verdict":"STALE"}"#)
    let library = MediaLibrary([], verdict: .stale, staleReason: "why")
    #expect(
      String(decoding: try CanonicalEncoder.encode(library), as: UTF8.self)
        == #"{"items":[],"stale":"why","verdict":"STALE"}"#)
  }

  @Test("a reason names no secret, and a mapped value keeps its source")
  func fetched() {
    let redactor = Redactor()
    redactor.registerSecret(Array("hunter2x".utf8), name: "n")
    let fetched = Fetched(
      1, verdict: .stale, stored: 5, networkError: APIError(.refused, "hunter2x refuses"))
    #expect(fetched.staleReason(redactor)?.contains("hunter2x") == false)
    #expect(Fetched(1).staleReason(redactor) == nil)
    let text = fetched.map { "\($0)" }
    #expect(text.value == "1" && text.stored == 5 && text.networkError?.kind == .refused)
  }
}
