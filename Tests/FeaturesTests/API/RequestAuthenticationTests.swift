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

  @Test("a query item of the line takes the place of the service's key")
  func ownQueryItem() throws {
    let lines = [
      "api service add s http://h --auth query:key={{secret:a}}",
      "api service add t http://h --auth header:X-Key={{secret:a}}",
      "api get s/x", "api get s/x Key=={{secret:b}}", "api get s/x key=={{secret:b}} q==1",
      "api get t/x X-Key:{{secret:b}}", "api get s/x?q=1&k%65y={{secret:b}}",
      "api get s/key={{secret:b}}?keys={{secret:b}}#key=1",
    ]
    let printed = try run(lines, in: world)
    #expect(printed.allSatisfy { $0.status == 0 }, "\(printed.map(\.errors))")
    #expect(
      world.api.requests.map(\.url) == [
        "http://h/x?key=first-value", "http://h/x?key=first-value&Key=other-value",
        "http://h/x?key=other-value&q=1", "http://h/x", "http://h/x?q=1&k%65y=other-value",
        "http://h/key=other-value?keys=other-value&key=first-value#key=1",
      ])
    let header = world.api.requests[3].headers.filter { $0.name == "X-Key" }.map(\.value)
    #expect(header == ["other-value"])
  }

  @Test(
    "--auth and another part of one line do not both set a query item",
    arguments: [
      "http://h/x key=={{secret:b}}", "http://h/x?q=1&key={{secret:b}}", "http://h/x?k%65y=1",
    ])
  func twoKeysInALine(words: String) {
    let error = #expect(throws: UsageError.self) {
      try action("api get \(words) --auth query:key={{secret:a}}")
    }
    #expect(
      error?.message == "--auth sets the query item key, which the line has too: give one of them")
  }

  @Test(
    "the address of a service does not set the query item of its authentication",
    arguments: [
      "'http://h/?appid=1' --auth query:appid={{secret:a}}",
      "'http://h/v1?q=1&app%69d=1' --auth query:appid={{secret:a}}",
      "'http://h/?appid' --auth query:appid={{secret:a}}",
    ])
  func twoKeysOfAService(words: String) throws {
    let error = #expect(throws: UsageError.self) { try action("api service add r \(words)") }
    #expect(
      error?.message == "the authentication sets the query item appid, which the address has too")
    #expect(error?.column == 19)
    let others = [
      "'http://h/?appId=1' --auth query:appid={{secret:a}}",
      "'http://h/?appid=1' --auth header:appid={{secret:a}}", "'http://h/?appid=1'",
    ]
    for words in others { _ = try action("api service add r \(words)") }
  }

  @Test("a kept request with --auth for a query item is not run with another of that name")
  func twoKeysInAKeptRequest() throws {
    let old =
      #"{"authentication":{"query":{"name":"key","secret":"a"}},"cache":"remoteFirst","follow":0,"#
      + #""isExplicit":true,"items":[{"kind":"query","name":"key","value":"1"}],"method":"GET","#
      + #""retries":0,"shown":"body","target":"http://h/x"}"#
    let printed = try run(
      [
        "api get http://h/x --auth query:key={{secret:a}} --save one",
        "api run one key=={{secret:b}}", "api run one q==1",
        "db preference set api.saved.old '\(old)'", "api run old",
      ], in: world)
    #expect(printed.map(\.status) == [0, 64, 0, 0, 64], "\(printed.map(\.errors))")
    #expect(
      printed[1].errors.contains(
        "the request kept as 'one' has --auth query:key, which does not go with another key in the "
          + "query"), "\(printed[1].errors)")
    #expect(
      world.api.requests.map(\.url) == [
        "http://h/x?key=first-value", "http://h/x?key=first-value&q=1",
      ])
  }

  @Test("a recorded line with a query item and --auth for it is sent as it was")
  func recordedKeys() throws {
    guard
      case .run(let context, .request(var spec))? = try action(
        "api get http://h/x --auth query:key={{secret:a}}"
      ).api,
      case .run(_, .request(let other))? = try action("api get http://h/x key==1").api
    else { throw UsageError("no request") }
    spec.items = other.items
    let store = world.looseStore()
    store.send(.api(.run(context: context, command: .request(request: spec))))
    store.skipReceivedActions()
    #expect(store.state.shell.lastStatus == 0)
    #expect(world.api.requests.map(\.url) == ["http://h/x?key=first-value&key=1"])
  }

  @Test(
    "the name of a user has any characters but ':' and controls",
    arguments: ["me", "a b", "a=b", "\u{e9}", "\u{301}a", "a\u{301}", #"a\"b\\c"#, ""])
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
