import SwiftBoardJSON
import Testing

@Suite("The equality of JSON values")
struct EqualityTests {
  @Test("values are equal if their texts have the same bytes, and not only the same letters")
  func bytes() {
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    #expect(composed == decomposed)
    #expect(JSON.string(composed) != .string(decomposed))
    #expect(JSON.array([.string(composed)]) != .array([.string(decomposed)]))
    #expect(JSON.object([.init(composed, 1)]) != .object([.init(decomposed, 1)]))
    #expect(JSON.object([.init("k", .string(composed))]) == ["k": .string(composed)])
    #expect(Set([JSON.string(composed), .string(decomposed), .string(composed)]).count == 2)
    #expect(JSON.number("1") != .number("1.0") && JSON.null == .null && JSON.bool(true) != .null)
  }
}
