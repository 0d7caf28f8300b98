import Testing

@testable import SwiftBoardDependencies

/// Which answers a transfer can go on with later (RFC 9110, 13.1.5 and 8.8.2.2).
struct PartialFileTagTests {
  private static func response(_ headers: [String: String]) -> APIResponse {
    APIResponse(
      status: 200, headers: headers.map { HTTPHeader($0.key, $0.value) }, url: "http://h/f")
  }

  private static func validator(_ headers: [String: String]) throws -> String? {
    let text = PartialFileTag.text(for: response(headers), key: "k", total: nil)
    return try text.map {
      try #require(PartialFileTag(PartialContent(size: 1, tag: $0), key: "k")).validator
    }
  }

  private static let (second, next) = (
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT"
  )

  @Test("a strong ETag comes before a Last-Modified, and that before nothing")
  func strong() throws {
    #expect(
      try Self.validator(["ETag": "\"a\"", "Last-Modified": Self.second]) == "\"a\"")
    #expect(
      try Self.validator(["Last-Modified": Self.second, "Date": Self.next]) == Self.second)
    #expect(
      try Self.validator(["ETag": "W/\"a\"", "Last-Modified": Self.second, "Date": Self.next])
        == Self.second)
    #expect(try Self.validator(["ETag": "\"a\"", "Content-Encoding": "identity"]) == "\"a\"")
  }

  @Test(
    "a weak validator is none, and the reason names it",
    arguments: [
      (["ETag": "W/\"a\""], "an ETag that is weak"),
      (["ETag": "W/\"a\"", "Last-Modified": second, "Date": second], "an ETag that is weak"),
      (["ETag": "a"], "an ETag without quotes"),
      (["Last-Modified": second, "Date": second], "a Last-Modified of this second"),
      ([:], "neither an ETag nor a Last-Modified"),
    ])
  func weak(headers: [String: String], reason: String) throws {
    #expect(try Self.validator(headers) == nil)
    let problem = PartialFileTag.problem(of: Self.response(headers))
    #expect(problem.contains(reason), "\(problem)")
  }
}
