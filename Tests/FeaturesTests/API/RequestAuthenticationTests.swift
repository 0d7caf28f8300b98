import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardSystem
import Testing

/// Who a request is sent as: by `--auth`, and by items that take its place.
struct RequestAuthenticationTests {
  let world = World(
    MockKeychainService(entries: ["a": Data("first-value".utf8), "b": Data("other-value".utf8)]))

  init() { world.api.answer { _ in .json("{}") } }

  @Test("a query item of the line takes the place of the service's key, as a header does")
  func ownQueryItem() throws {
    let lines = [
      "api service add s http://h --auth query:key={{secret:a}}",
      "api service add t http://h --auth header:X-Key={{secret:a}}",
      "api get s/x", "api get s/x Key=={{secret:b}}", "api get s/x key=={{secret:b}} q==1",
      "api get t/x X-Key:{{secret:b}}",
    ]
    let printed = try run(lines, in: world)
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0, 0], "\(printed.map(\.errors))")
    #expect(
      world.api.requests.map(\.url) == [
        "http://h/x?key=first-value", "http://h/x?key=first-value&Key=other-value",
        "http://h/x?key=other-value&q=1", "http://h/x",
      ])
    let header = world.api.requests.last?.headers.filter { $0.name == "X-Key" }.map(\.value)
    #expect(header == ["other-value"])
  }

  @Test("--auth and an item of one line do not both set a query item")
  func twoKeysInALine() throws {
    let line = "api get http://h/x --auth query:key={{secret:a}}"
    let printed = try run(
      ["\(line) --save one", "api run one key=={{secret:b}}"], in: world)
    #expect(printed.map(\.status) == [0, 0], "\(printed.map(\.errors))")
    #expect(
      world.api.requests.map(\.url) == [
        "http://h/x?key=first-value", "http://h/x?key=first-value&key=other-value",
      ])
    let error = #expect(throws: UsageError.self) { try action("\(line) key=={{secret:b}}") }
    #expect(error?.message == "--auth and key== set the same query item: give one of them")
  }

  @Test(
    "the name of a user has any characters but ':' and controls",
    arguments: ["me", "a b", "a=b", "\u{e9}", #"a\"b\\c"#, ""])
  func users(name: String) throws {
    let user = name.replacing(#"\""#, with: "\"").replacing(#"\\"#, with: #"\"#)
    let printed = try run(
      [
        "api service add s http://h --auth \"basic:\(name):{{secret:a}}\"", "api get s/x",
        "api get http://h/x --auth \"digest:\(name):{{secret:a}}\"",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 0], "\(printed.map(\.errors))")
    let pair = Data("\(user):first-value".utf8).base64EncodedString()
    #expect(world.api.requests.first?.headers.value(of: "Authorization") == "Basic \(pair)")
    #expect(world.api.requests.last?.digest?.user == user)
  }

  @Test(
    "the name of a user that HTTP does not allow is refused with the reason",
    arguments: [
      ("basic:a:b:", "the user 'a:b' has a ':', which ends the name of a user in HTTP"),
      (
        "digest:a\u{7F}b:",
        "the user 'a\u{7F}b' has control characters, which HTTP does not allow there"
      ),
      ("basic:", "'basic:{{secret:a}}' is not a valid value for --auth"),
    ])
  func wrongUsers(form: String, message: String) {
    let error = #expect(throws: UsageError.self) {
      try action("api get http://h/x --auth \"\(form){{secret:a}}\"")
    }
    #expect(error?.message == message)
    let preset = #expect(throws: UsageError.self) {
      try action("api service add n http://h --preset nzbget --user a:b")
    }
    #expect(preset?.message.contains("'a:b' has a ':'") == true)
  }
}
