import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore
import SwiftBoardSystem
import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

@Suite("api")
struct APIFeatureTests {
  let world = World()
  let rm = APIService(name: "rm", baseURL: "http://rm.test/api")

  @Test(
    "a test of a service says what it answered, and fails as a request with that status does",
    arguments: [
      (200, 0, "nas answers: HTTP 200"), (204, 0, "nas answers: HTTP 204"),
      (302, 3, "nas answers, and sends elsewhere: HTTP 302"),
      (401, 4, "nas answers, and refuses the key: HTTP 401"),
      (403, 4, "nas answers, and refuses the key: HTTP 403"),
      (404, 4, "nas answers, but has nothing at its address: HTTP 404"),
      (500, 5, "nas answers, and fails: HTTP 500"), (503, 5, "nas answers, and fails: HTTP 503"),
    ])
  func serviceTest(status: Int, code: Int32, text: String) async {
    let world = World()
    world.api.answer { _ in .response(status: status, headers: [], body: Data()) }
    let lines = Lines(world)
    #expect(await lines.run("api service add nas http://nas") == 0)
    #expect(await lines.run("api service test nas") == code, "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains(text), "\(lines.allPrinted)")
  }

  @Test("api service test does not count the time in which a passphrase is typed")
  func serviceTestTime() async throws {
    let time = Mutex<Int64>(0)
    let terminal = ScriptedTerminal(passphrase: { _ in
      time.withLock { $0 += 5_000_000 }
      return "open"
    })
    let world = World(
      MockKeychainService(
        entries: ["k": Data("a value".utf8)], unlocked: false,
        secret: .passphrase(try GuardedBytes(copying: Array("open".utf8)))))
    world.api.answer { _ in
      time.withLock { $0 += 2000 }
      return .json(#"{"info":{"pages":1},"results":[]}"#)
    }
    var dependencies = world.dependencies
    dependencies.terminal = terminal
    dependencies.clock = BoardClock(now: { time.withLock { $0 } }, sleep: { _ in })
    let lines = Lines(world, dependencies: dependencies)
    let service = "http://h --preset rick-and-morty --auth bearer:{{secret:k}}"
    #expect(await lines.run("api service add rm \(service)") == 0, "\(lines.allPrinted)")
    #expect(await lines.run("api service test rm") == 0, "\(lines.allPrinted)")
    #expect(terminal.prompts.count == 1)
    #expect(lines.allPrinted.contains("answered in 2 ms"), "\(lines.allPrinted)")
  }

  @Test(
    "an answer that came through a proxy names it as the way, with advice about both",
    arguments: [
      (
        401, "HTTP 401 from http://nas/x through the proxy P",
        "give a key with --auth, or check the one that was sent"
      ),
      (404, "HTTP 404 from http://nas/x through the proxy P", "if the proxy answered itself, "),
      (
        302, "HTTP 302 from http://nas/x through the proxy P: a redirect that was not followed",
        "follow it with --follow 5"
      ),
      (500, "HTTP 500 from http://nas/x through the proxy P", "the service failed; "),
    ])
  func throughAProxy(status: Int, message: String, help: String) async {
    struct ProxiedClient: APIClient {
      let status: Int

      func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
        var response = APIResponse(
          status: status, headers: [HTTPHeader("Location", "/y")], url: request.url)
        response.proxy = "P"
        return response
      }
    }
    var dependencies = world.dependencies
    dependencies.apiClient = ProxiedClient(status: status)
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("api get http://nas/x") != 0)
    #expect(lines.allPrinted.contains("error: \(message)\n"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("help: \(help)"), "\(lines.allPrinted)")
    let isRefusal = (400..<500).contains(status)
    #expect(lines.allPrinted.contains("or name the host in no_proxy") == isRefusal)
    #expect(await lines.run("api service add nas http://nas") == 0)
    #expect(await lines.run("api service test nas") != 0)
    #expect(lines.allPrinted.contains("error: nas answers through the proxy P, "))
  }

  @Test(
    "the query of a service's address comes before that of the request",
    arguments: [
      ("api get nas", "http://nas/raw?v=1"), ("api get nas/y", "http://nas/raw/y?v=1"),
      ("api get nas/y q==1", "http://nas/raw/y?v=1&q=1"),
      ("api get nas/y?a=2 q==1", "http://nas/raw/y?v=1&a=2&q=1"),
      ("api get 'nas/y?a=2#b?' q==1", "http://nas/raw/y?v=1&a=2&q=1#b?"),
    ])
  func queryOfAService(line: String, url: String) async {
    let world = World()
    world.api.answer { _ in .json("1") }
    let lines = Lines(world)
    #expect(await lines.run("api service add nas 'http://nas/raw?v=1'") == 0)
    #expect(await lines.run(line) == 0, "\(lines.allPrinted)")
    #expect(world.api.requests.map(\.url) == [url])
    #expect(await lines.run("\(line) --cache localFirst") == 0)
  }

  @Test(
    "brackets in the names of members nest, as in HTTPie",
    arguments: [
      ("a[b]=1 a[c][d]:=2 e=3", #"{"a":{"b":"1","c":{"d":2}},"e":"3"}"#),
      ("a[b][]=1 a[b][]=2", #"{"a":{"b":["1","2"]}}"#),
      ("a[2]=x a[0][k]:=[1] a[]=y", #"{"a":[{"k":[1]},null,"x","y"]}"#),
      ("[]=1 []:=2", #"["1",2]"#),
      (
        #"'a\[b\]=1' 'c[\]]=2' 'd[\0]=3' 'e\\\\[f]=4'"#,
        #"{"a[b]":"1","c":{"]":"2"},"d":{"0":"3"},"e\\":{"f":"4"}}"#
      ),
      ("a[0x]=1 a[+1]=2 'a[ 1 ]=3' 'a[-]=4'", #"{"a":{"0x":"1","+1":"2"," 1 ":"3","-":"4"}}"#),
      (
        #"'a[\1]=1' 'a[\-1]=2' 'a[\1a]=3' 'a[\-]=4'"#,
        #"{"a":{"1":"1","-1":"2","\\1a":"3","\\-":"4"}}"#
      ),
      ("a[b]={{secret:radarr}}", #"{"a":{"b":\#(JSON.string(World.secret).text)}}"#),
      ("a[]=1 --form", "a%5B%5D=1"),
    ])
  func nestedMembers(items: String, body: String) throws {
    world.api.answer { _ in .json("1") }
    let printed = try run(
      ["api post http://h/x --save s \(items)", "api run s", "api run s 'a[z]==1'"], in: world)
    #expect(printed.map(\.status) == [0, 0, 0], "\(printed.map(\.errors))")
    #expect(
      world.api.requests.map { String(decoding: $0.body ?? Data(), as: UTF8.self) }
        == [body, body, body])
  }

  @Test(
    "members that make no body are refused, with what was there and what came",
    arguments: [
      ("'a[b=1'", "the brackets in the name of 'a[b=1' do not match"),
      ("'a]=1'", "the brackets in the name of 'a]=1' do not match"),
      ("a[b]c=1", "the brackets in the name of 'a[b]c=1' do not match"),
      ("a[10000]=1", "the indexes up to 'a[10000]=1' skip more than 9999 elements"),
      ("a[5000]=1 b[5000]=2", "the indexes up to 'b[5000]=2' skip more than 9999 elements"),
      ("a[-1]=1", "the index in the name of 'a[-1]=1' is negative"),
      ("[-1]=1", "the index in the name of '[-1]=1' is negative"),
      ("[a]=1", "the first brackets in the name of '[a]=1' have a key"),
      (#"'[\1]=1'"#, #"the first brackets in the name of '[\1]=1' have a key"#),
      (
        "a[]=1 a[][b]=2 a[1][b][c]=3",
        "'a[1][b][c]=3' makes 'a[1][b]' an object, and 'a[][b]=2' a value"
      ),
      ("a[b]=1 a[b]=2", "'a[b]=1' and 'a[b]=2' are the same member of the JSON body"),
      ("a=1 a[b]=2", "'a[b]=2' makes 'a' an object, and 'a=1' a value"),
      ("a[b]=1 a=2", "'a=2' makes 'a' a value, and 'a[b]=1' an object"),
      ("a[b][]=1 a[b][c]=2", "'a[b][c]=2' makes 'a[b]' an object, and 'a[b][]=1' an array"),
      ("a=1 []=2", "'[]=2' makes the body an array, and 'a=1' an object"),
    ])
  func membersWithoutBody(items: String, message: String) throws {
    let error = #expect(throws: UsageError.self) { try action("api post http://h/x \(items)") }
    #expect(error?.message == message)
    #expect(error?.help?.isEmpty == false)
  }

  @Test("brackets in a member of an earlier recording or kept request are text")
  func earlierBrackets() async throws {
    world.api.answer { _ in .json("1") }
    let lines = Lines(world)
    #expect(await lines.run("api post http://h/x a[b]=1 --save s") == 0)
    let key = SavedRequest.key("s")
    let saved = try #require(try await world.persistence.preference(key))
    let earlier = saved.replacing(#""isPath":true,"#, with: "")
    #expect(earlier != saved)
    try await world.persistence.setPreference(key, to: earlier)
    let shown = String(try run(["api saved show s"], in: world)[0].output.dropLast())
    for (line, body) in [
      ("api run s", #"{"a[b]":"1"}"#),
      ("api run s a[b]=2", #"{"a[b]":"1","a":{"b":"2"}}"#),
      (#"api run s 'a\[b\]=2'"#, #"{"a[b]":"2"}"#), (shown, #"{"a[b]":"1"}"#),
    ] {
      #expect(await lines.run(line) == 0, "\(lines.allPrinted)")
      #expect(world.api.requests.last?.body == Data(body.utf8), "\(line)")
    }
  }

  @Test("a kept path with too many steps is not sent")
  func deepKept() async throws {
    world.api.answer { _ in .json("1") }
    let lines = Lines(world)
    #expect(await lines.run("api post http://h/x a[b]=1 --save s") == 0)
    let key = SavedRequest.key("s")
    let saved = try #require(try await world.persistence.preference(key))
    let deep = saved.replacing("a[b]", with: "a" + String(repeating: "[b]", count: 600))
    try await world.persistence.setPreference(key, to: deep)
    #expect(await lines.run("api run s") == 64)
    #expect(lines.allPrinted.contains("has more than 512 steps"), "\(lines.allPrinted)")
    #expect(world.api.requests.count == 1)
  }

  @Test("a failure names the kept answer that its service wants confirmed")
  func unconfirmed() async {
    world.api.answer(
      "GET", "http://h/x",
      with: .response(
        status: 200, headers: [HTTPHeader("Cache-Control", "no-cache")], body: Data("1".utf8)),
      .failure(APIError(.offline, "offline")))
    let lines = Lines(world)
    #expect(await lines.run("api get http://h/x") == 0)
    let advice = "an answer is kept, but the service wants it confirmed"
    #expect(!lines.allPrinted.contains(advice))
    #expect(await lines.run("api get http://h/x") == 69)
    #expect(lines.allPrinted.contains("it is sent; \(advice): "), "\(lines.allPrinted)")
    #expect(await lines.run("api get http://h/x --cache localFirst") == 0)
  }

  @Test(
    "an item follows a query that is empty or ends with & without another &",
    arguments: [
      ("api get 'http://h/raw?' q==1", "http://h/raw?q=1"),
      ("api get 'http://h/raw?#b' q==1 r==2", "http://h/raw?q=1&r=2#b"),
      ("api get 'http://h/raw?a=1&' q==1", "http://h/raw?a=1&q=1"),
      ("api get 'http://h/&' q==1", "http://h/&?q=1"),
      ("api get 'http://h/e?q=why?' page==2", "http://h/e?q=why?&page=2"),
      ("api get 'http://h/e??' page==2", "http://h/e??&page=2"),
      ("api get 'http://h/e?q=?&' page==2", "http://h/e?q=?&page=2"),
      ("api get nas q==1", "http://nas/raw?v=1&q=1"),
      ("api get nas/y?a=2 q==1", "http://nas/raw/y?v=1&a=2&q=1"),
    ])
  func openQuery(line: String, url: String) async {
    let world = World()
    world.api.answer { _ in .json("1") }
    let lines = Lines(world)
    #expect(await lines.run("api service add nas 'http://nas/raw?v=1&'") == 0)
    #expect(await lines.run(line) == 0, "\(lines.allPrinted)")
    #expect(world.api.requests.map(\.url) == [url])
  }

  @Test(
    "a target is an address if a scheme is directly in front of its ://",
    arguments: [
      ("api get nas/y?to=http://x/", "http://nas/raw/y?to=http://x/"),
      ("api nas/y/http://x/", "http://nas/raw/y/http://x/"),
      ("api get nas/y?to=http://x/{{secret:radarr}}", nil),
      ("api get http://other/y?to=http://x/", "http://other/y?to=http://x/"),
    ])
  func addressInAPath(line: String, url: String?) async {
    let world = World()
    world.api.answer { _ in .json("1") }
    let lines = Lines(world)
    #expect(await lines.run("api service add nas http://nas/raw") == 0)
    #expect(await lines.run("\(line) --save s") == 0, "\(lines.allPrinted)")
    #expect(await lines.run("api run s") == 0, "\(lines.allPrinted)")
    #expect(world.api.requests.count == 2)
    if let url { #expect(world.api.requests.allSatisfy { $0.url == url }) }
  }

  @Test("what is no scheme in front of :// is the name of a service")
  func noScheme() async {
    let lines = Lines(World())
    #expect(await lines.run("api get 1http://x/") == 66)
    #expect(lines.allPrinted.contains("an address begins with http://"), "\(lines.allPrinted)")
    #expect(await lines.run("api get x.y+z-1://x/") == 64)
    #expect(lines.allPrinted.contains("'x.y+z-1' is not supported"), "\(lines.allPrinted)")
  }

  @Test("the help on an unknown service fits its name, and the place of the name")
  func unknownServices() async {
    for (line, help) in [
      ("api get nas/x", "'api service add nas URL' makes it known"),
      ("api get /x", "a target is NAME/PATH, or an address"),
      ("api get //h/x", "a target is NAME/PATH, or an address"),
      ("api get 'x?b=2'", "a target is NAME/PATH, or an address"),
      ("api get nas.local/x", "an address begins with http://"),
      ("api cache clear http://127.0.0.1:19001", "'api service list' shows which there are"),
    ] {
      let lines = Lines(World())
      #expect(await lines.run(line) != 0)
      #expect(lines.allPrinted.contains("help: \(help)"), "\(line): \(lines.allPrinted)")
    }
  }

  @Test("the help on a name that no header has is about the name")
  func headerName() async {
    let world = World()
    world.api.answer { _ in .failure(.init(.invalidURL, "refused")) }
    let lines = Lines(world)
    #expect(await lines.run("api get http://h/ 'A B:c'") == 64)
    #expect(lines.allPrinted.contains("help: a header's name has letters"), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("as in X-Request-Id:text"), "\(lines.allPrinted)")
  }

  @Test("a second item from standard input is refused before any is read")
  func standardInputTwice() throws {
    for items in ["a=@- b=@-", "a=@- b:=@-", "--form a=@- b=@-"] {
      let error = #expect(throws: UsageError.self) { try action("api post http://h/ \(items)") }
      #expect(
        error?.message == "standard input is there once, and an earlier item of the line reads it")
    }
  }

  @Test("a file that is no JSON is named, and how to send it as text")
  func fileOfOtherText() async throws {
    let world = World()
    try await world.files.write(Data("{x".utf8), to: "f.txt", mode: .create)
    let lines = Lines(world)
    #expect(await lines.run("api post http://h/ a:=@f.txt") == 65)
    #expect(
      lines.allPrinted.contains("the file f.txt for a:= is not JSON (character 2)"),
      "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("help: text goes with a=@f.txt"), "\(lines.allPrinted)")
  }

  @Test("a fragment of a service's address is refused")
  func fragmentOfAService() async {
    let lines = Lines(World())
    #expect(await lines.run("api service add nas 'http://nas/raw#part'") == 64)
    #expect(
      lines.allPrinted.contains("leave out the '#' and what follows it, which is never sent"),
      "\(lines.allPrinted)")
  }

  @Test(
    "what a file or a service would misread is refused before anything is sent",
    arguments: [
      ("api get http://h/ --out -", "'./-' is a file of that name"),
      ("api get http://h/ --out f --select a", "'> FILE' writes what --select shows"),
      ("api post http://h/ 'pw={{secret:k}}'", "in single quotes"),
      ("api get http://h/ 'q=={{secret:k}}'", "in single quotes"),
      (#"api post http://h/ --json-body '{"p":"{{secret:k}}"}'"#, "in single quotes"),
      (#"api post http://h/ --json-body='{"p":"{{secret:k}}"}'"#, "in single quotes"),
      ("api post http://h/ '--json-body={{secret:k}}'", "in single quotes"),
      (
        #"api post http://h/ --json-body '{"p":"{{secret:k}}","n":'{{last}}'}'"#, "in single quotes"
      ),
      ("api post http://h/ a='{{secret:k}}'{{last}}", "in single quotes"),
      ("api post http://h/ --capture 'k}}b=body.a'", "{{secret:NAME}} can have this name"),
    ])
  func misread(line: String, text: String) async {
    let world = World()
    let lines = Lines(world)
    #expect(await lines.run(line) == 64)
    #expect(lines.allPrinted.contains(text), "\(lines.allPrinted)")
    #expect(world.api.requests.isEmpty)
  }

  @Test(
    "a quoted word with the name of an option is no item, except behind --",
    arguments: [
      (#"api post http://h/ "--auth=basic:u:{{secret:k}}""#, "leave the quotes off --auth"),
      ("api post http://h/ a=1 '--timeout=1s'", "leave the quotes off --timeout"),
      ("api run s '--raw'", "leave the quotes off --raw"),
      (#"api service add x http://h "--auth=bearer:{{secret:k}}""#, "leave the quotes off --auth"),
      ("characters list '--timeout=1s'", "leave the quotes off --timeout"),
      ("db list c '--limit=1'", "leave the quotes off --limit"),
      ("watch 1s --count 1 api post http://h/ '--timeout=1s'", "leave the quotes off --timeout"),
    ])
  func quotedOptions(line: String, help: String) async {
    let world = World()
    let lines = Lines(world)
    #expect(await lines.run(line) == 64)
    #expect(lines.allPrinted.contains("is in quotes, and a quoted word is no option"))
    #expect(lines.allPrinted.contains(help), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("\n  \(line)\n"), "\(lines.allPrinted)")
    #expect(world.api.requests.isEmpty)
  }

  @Test("behind --, a quoted item with the name of an option is sent")
  func quotedItem() async {
    let world = World()
    world.api.answer { _ in .json("1") }
    let lines = Lines(world)
    #expect(await lines.run("api post http://h/ -- '--timeout=1s'") == 0, "\(lines.allPrinted)")
    #expect(
      world.api.requests.first?.body.map { String(decoding: $0, as: UTF8.self) }
        == #"{"--timeout":"1s"}"#)
  }

  @Test(
    "a secret in a quoted word with the name of an option stays out of steps",
    arguments: [
      "api post http://h/ '--auth=basic:u:hunter2x'", "api post http://h/ '--auth=hunter2x'",
      "api get http://h/ '--proxy=http://u:hunter2x@p:1'",
      "api service add x http://h/ \"--auth=bearer:hunter2x\"",
      "db list c '--limit=1'; api post http://h/ token==hunter2x",
    ])
  func secretInQuotedOption(line: String) async {
    let lines = Lines()
    #expect(await lines.run(line) == 64)
    #expect(lines.allSteps.contains("[refused: secret "), "\(lines.allSteps)")
    #expect(!(lines.allSteps + lines.allPrinted).contains("hunter2x"))
  }

  @Test(
    "a Content-Type that a multipart body would replace is refused, and one that it has is not",
    arguments: [
      ("a=1 Content-Type:text/plain --multipart", 64), ("a=1 --multipart content-type:", 0),
      ("f@file Content-Type:", 0), ("a=1 'Content-Type:multipart/form-data '", 0),
      ("a=1 --multipart 'Content-Type: multipart/form-data'", 0),
      ("a=1 --multipart 'Content-Type;'", 64), ("f@file Content-Type:text/plain", 64),
      ("a=1 'Content-Type:multipart/form-data; boundary=x'", 64),
      ("a=1 --form 'Content-Type:Multipart/Form-Data; boundary=x'", 64),
      ("a=1 --multipart Content-Type:multipart/form-data", 0),
      ("a=1 Content-Type:Multipart/Form-Data", 0), ("a=1 --form Content-Type:text/plain", 0),
      ("a=1 --multipart 'X-Content-Type:text/plain'", 0),
    ])
  func typeOfMultipart(items: String, code: Int32) async throws {
    let world = World()
    world.api.answer { _ in .json("[]") }
    try await world.files.write(Data("x".utf8), to: "file", mode: .create)
    let lines = Lines(world)
    #expect(await lines.run("api post http://h/ \(items)") == code, "\(lines.allPrinted)")
    let message = "a multipart body has its own "
    #expect(lines.allPrinted.contains(message) == (code == 64), "\(lines.allPrinted)")
    #expect(world.api.requests.count == (code == 0 ? 1 : 0))
    await lines.board.close()
  }

  @Test("a form is not made of a whole body", arguments: ["--form @file", "@file --multipart"])
  func formOfAWholeBody(items: String) async {
    let world = World()
    let lines = Lines(world)
    #expect(await lines.run("api post http://h/ \(items)") == 64)
    #expect(
      lines.allPrinted.contains("makes a body of members, and @FILE is the whole body"),
      "\(lines.allPrinted)")
    #expect(world.api.requests.isEmpty)
  }

  @Test("a kept request is not run with what no line can have")
  func keptOptions() throws {
    let old =
      #"{"cache":"remoteFirst","follow":0,"isExplicit":true,"#
      + #""items":[{"kind":"header","name":"X-A","value":"a\u007fb"}],"#
      + #""method":"GET","retries":0,"shown":"body","target":"http://rm.test/c"}"#
    world.api.answer { _ in .json("[]") }
    let printed = try run(
      [
        "api post http://rm.test/c --form --save f", "api run f @file", "api run f a=1",
        "db preference set api.saved.old '\(old)'", "api run old", "api run old X-A:1",
      ], in: world)
    #expect(printed.map(\.status) == [0, 64, 0, 0, 64, 0], "\(printed.map(\.errors))")
    #expect(
      printed[1].errors.contains(
        "the request kept as 'f' has --form, which does not go with @FILE, the whole body"),
      "\(printed[1].errors)")
    #expect(
      printed[4].errors.contains(
        "the request kept as 'old' has control characters in the header X-A"),
      "\(printed[4].errors)")
    #expect(world.api.requests.count == 3)
  }

  @Test("a type behind the file of a whole body is a part of its name")
  func typeOfAWholeBody() async throws {
    let world = World()
    world.api.answer { _ in .json("[]") }
    let lines = Lines(world)
    #expect(await lines.run("api post http://h/ '@f.txt;type=a/b'") == 66)
    #expect(lines.allPrinted.contains("there is no file f.txt;type=a/b"), "\(lines.allPrinted)")
    #expect(
      lines.allPrinted.contains("here a header has it: Content-Type:a/b"), "\(lines.allPrinted)")
    #expect(await lines.run("api post http://h/ @f.txt") == 66)
    try await world.files.write(Data("x".utf8), to: "f.txt;type=a/b", mode: .create)
    #expect(await lines.run("api post http://h/ '@f.txt;type=a/b'") == 0)
  }

  @Test(
    "the value of a header has no control characters but tabs",
    arguments: [("\u{7F}", 64), ("\u{1}", 64), ("\n", 64), ("\t", 0), ("\u{e9}", 0)])
  func controlsInAHeader(character: String, code: Int32) async {
    let world = World()
    world.api.answer { _ in .json("[]") }
    let words = ["api", "get", "http://h/", "X-A:a\(character)b"].map { Argument($0) }
    let lines = Lines(world)
    #expect(await lines.run(LineParser.line(of: words)) == code, "\(lines.allPrinted)")
    #expect(
      lines.allPrinted.contains("the header X-A has control characters") == (code == 64),
      "\(lines.allPrinted)")
  }

  @Test("a kept request whose multipart body has another Content-Type is refused when it is run")
  func savedMultipart() throws {
    world.api.answer { _ in .json("[]") }
    let printed = try run(
      [
        "api post http://rm.test/c a=1 --multipart --save m", "api run m b=2",
        "api run m Content-Type:text/plain",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 64])
    #expect(
      printed[2].errors.contains("which does not go with Content-Type"), "\(printed[2].errors)")
    #expect(world.api.requests.count == 2)
  }

  @Test("a recorded line whose multipart body has another Content-Type is sent as it was")
  func recordedMultipart() throws {
    world.api.answer { _ in .json("[]") }
    guard
      case .run(let context, .request(var spec))? = try action(
        "api post http://rm.test/c a=1 --multipart"
      ).api
    else { throw UsageError("no request") }
    spec.items.append(APIItem(kind: .header, name: "Content-Type", value: "text/plain"))
    let store = world.looseStore()
    store.send(.api(.run(context: context, command: .request(request: spec))))
    store.skipReceivedActions()
    #expect(store.state.shell.lastStatus == 0)
    #expect(
      world.api.requests.first?.headers.value(of: "Content-Type")?.hasPrefix("multipart/") == true)
  }

  @Test("one name is captured once, and an empty text is not")
  func captures() async throws {
    let world = World()
    world.api.answer { _ in .json(#"{"a":"","b":"some-value","c":null}"#) }
    let lines = Lines(world)
    #expect(await lines.run("api get http://h/ --capture k=body.b --capture k=body.a") == 64)
    #expect(
      lines.allPrinted.contains("two values are captured as the secret 'k'"),
      "\(lines.allPrinted)")
    #expect(world.api.requests.isEmpty)
    #expect(await lines.run("api get http://h/ --capture k=body.a") == 66)
    #expect(
      lines.allPrinted.contains(
        "what is at 'body.a' is an empty text; the secret 'k' was not stored"),
      "\(lines.allPrinted)")
    #expect(await lines.run("api get http://h/ --capture k=body.c") == 66)
    #expect(lines.allPrinted.contains("what is at 'body.c' is not text"), "\(lines.allPrinted)")
    #expect(await lines.run("api get http://h/ --capture k=body.b --capture l=body.b") == 0)
  }

  @Test(
    "the names of headers in paths ignore case",
    arguments: ["headers.Set-Cookie", "headers.set-cookie", #"headers["SET-COOKIE"]"#])
  func headerNames(path: String) async throws {
    let world = World()
    world.api.answer { request in
      .json(
        "{}",
        headers: [HTTPHeader("Set-Cookie", "onetime-value"), HTTPHeader("X-Part", "first")])
    }
    let lines = Lines(world)
    #expect(await lines.run("api post http://h/ --capture 'k=\(path)'") == 0, "\(lines.allPrinted)")
    #expect(try await world.keychain.load(forKey: "k") == Data("onetime-value".utf8))
    #expect(await lines.run("echo {{last.headers.X-Part}}") == 0, "\(lines.allPrinted)")
    #expect(lines.allPrinted.hasSuffix("first\n"), "\(lines.allPrinted)")
    #expect(await lines.run("api get http://h/ X-Own:third --show-request") == 0)
    #expect(await lines.run("echo {{last.request.headers.X-Own}}") == 0, "\(lines.allPrinted)")
    #expect(lines.allPrinted.hasSuffix("third\n"), "\(lines.allPrinted)")
    #expect(await lines.run("echo {{last.Status}}") == 64)
  }

  @Test("--capture gives an entry a new value, whatever its name")
  func captureOfUnusableName() async throws {
    let world = World(MockKeychainService(entries: ["k}}b": Data()]))
    world.api.answer { _ in .json(#"{"a":"new-value"}"#) }
    #expect(await Lines(world).run("api post http://h/ --capture 'k}}b=body.a'") == 0)
    #expect(try await world.keychain.load(forKey: "k}}b") == Data("new-value".utf8))
  }

  /// A request in flight, as the line of a test begins it.
  private func pending(
    _ line: String, job: Int = 1, _ change: (inout PendingRequest) -> Void = { _ in }
  ) throws -> PendingRequest {
    guard case .run(let context, let command)? = try action(line, job: job).api,
      var request = PendingRequest(command, context)
    else { throw UsageError("no request: \(line)") }
    change(&request)
    return request
  }

  @Test("a request is one effect under its job's id; nothing runs while it is reduced")
  func descriptor() throws {
    var state = BoardState()
    let action = try action("api get http://rm.test/character/1", job: 7)
    let effects = BoardReducer(BoardFeatures.all).reduce(&state, action, world.dependencies)
    #expect(
      effects.descriptors() == [
        EffectDescriptor(kind: .task, name: "api.request", id: "api/requests/7/7")
      ])
    let asked = try pending("api get http://rm.test/character/1", job: 7) {
      ($0.stage, $0.attempt) = (.asking, 1)
    }
    #expect(state.api.pending == [asked])
    #expect(state.api.requests == 1)
    #expect(state.shell.running.map(\.job) == [7])
    #expect(world.api.requests.isEmpty)
  }

  @Test("a request of a service: address, headers, answer, state")
  func request() async throws {
    try await world.persistence.saveService(rm, replacing: false)
    world.api.answer(
      "GET", "http://rm.test/api/character?page=2", with: .json(#"{"name":"Rick"}"#))
    let store = world.store()
    let start = try action("api get rm/character page==2")
    let running = try #require(start.started)
    let request = try pending("api get rm/character page==2")
    store.send(start) {
      $0.api.requests = 1
      $0.api.pending = [request]
      $0.shell.running = [running]
    }
    store.receive(.api(.bootstrapped(job: 1, known: APIKnown(services: [rm])))) {
      $0.api.services = [rm]
      $0.api.saved = []
      $0.api.pending[id: 1]?.service = rm
      $0.api.pending[id: 1]?.stage = .asking
      $0.api.pending[id: 1]?.attempt = 1
    }
    var kept: RecentAnswer?
    store.receive(where: {
      guard case .answered(job: 1, let answer, nil)? = $0.api else { return false }
      kept = RecentAnswer(answer, job: 1)
      return answer.status == 200 && answer.text == #"{"name":"Rick"}"# && answer.attempts == 1
    }) {
      $0.api.answered = 1
      $0.api.answers = kept.map { [$0] } ?? []
      $0.api.pending = []
      $0.shell.running = []
      $0.shell.finished = FinishedJob(context: running, status: 0)
      $0.shell.last =
        #"{"status":200,"headers":{"content-type":"application/json"},"body":{"name":"Rick"},"verdict":"MISS"}"#
    }
    store.finish()
    #expect(kept?.body?.value == ["name": "Rick"])
    let sent = try #require(world.api.requests.first)
    #expect(sent.url == "http://rm.test/api/character?page=2")
    #expect(sent.headers.value(of: "User-Agent") == "swiftboard")
    #expect(sent.timeout == .seconds(30))
  }

  @Test("one line shows one thing of an answer, and a part of the body is one")
  func oneView() throws {
    for view in ["--headers", "--timing", "--show-request", "-v"] {
      let error = #expect(throws: UsageError.self) {
        try action("api get http://rm.test/ \(view) --select name")
      }
      let name = view == "-v" ? "--verbose" : view
      #expect(error?.message == "give one of \(name) and --select")
    }
    world.api.answer("GET", "http://rm.test/", with: .json(#"{"name":"Rick"}"#))
    #expect(try run("api get http://rm.test/ --body --select name", in: world).output == "Rick\n")
  }

  @Test("404 and 503: exit code 4 and 5, the body is shown, the error says where from")
  func refusals() throws {
    world.api.answer("GET", "http://rm.test/404", with: .json(#"{"error":"no"}"#, status: 404))
    world.api.answer("GET", "http://rm.test/503", with: .status(503))
    world.api.answer("GET", "http://rm.test/302", with: .status(302))
    let printed = try run(
      ["api get http://rm.test/404", "api get http://rm.test/503", "api get http://rm.test/302"],
      in: world)
    #expect(printed.map(\.status) == [4, 5, 3])
    #expect(printed[0].output == "{\n  \"error\": \"no\"\n}\n")
    #expect(printed[0].errors.contains("test.sb:1:1: error: HTTP 404 from http://rm.test/404\n"))
    #expect(printed[1].errors.contains("help: the service failed; --retry 3 tries again\n"))
    var settings = BoardSettings()
    settings.checksStatus = false
    #expect(try run("api get http://rm.test/404", in: world, settings: settings).status == 0)
    // A file that stays as it is makes the status a failure.
    let line = "api get http://rm.test/404 --out f"
    #expect(try run(line, in: world, settings: settings).status == 4)
  }

  @Test("what is asked again waits, longer each time, on the clock of the dependencies")
  func backOff() throws {
    world.api.answer(
      "GET", "http://rm.test/x", with: .status(503), .status(503),
      .failure(APIError(.refused, "nobody listens")), .json("1"))
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/x --retry 3"))
    store.skipReceivedActions()
    #expect(world.api.requests.count == 1)
    store.advance(by: .milliseconds(199))
    #expect(world.api.requests.count == 1)
    store.advance(by: .milliseconds(1))
    store.skipReceivedActions()
    #expect(world.api.requests.count == 2)
    #expect(world.clock.sleepers.map(\.offset) == [.milliseconds(600)])
    store.advance(by: .milliseconds(400))
    store.skipReceivedActions()
    #expect(world.api.requests.count == 3)
    #expect(world.clock.sleepers.map(\.offset) == [.milliseconds(1400)])
    store.advance(by: .milliseconds(800))
    store.receive(.api(.again(job: 1)))
    let ended = store.receive(where: { _ in true })
    guard case .answered(_, let answer, _)? = ended?.api else {
      Issue.record("not answered: \(String(describing: ended))")
      return
    }
    #expect(answer.attempts == 4)
    #expect(store.state.shell.lastStatus == 0)
  }

  @Test("a kept answer stands in for the service after the last attempt, not after the first")
  func retryBeforeKept() throws {
    let timeout = MockAnswer.failure(APIError(.timeout, "slow"))
    world.api.answer(
      "GET", "http://rm.test/x", with: .json("1"), timeout, .json("2"), timeout, timeout)
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/x"))
    store.skipReceivedActions()
    for (job, expected) in [(2, "2"), (3, "2")] {
      store.send(try action("api get http://rm.test/x --retry 1", job: job))
      store.skipReceivedActions()
      store.advance(by: .seconds(1))
      var text: String?
      store.receive(.api(.again(job: job)))
      store.receive(where: {
        guard case .answered(_, let answer, _)? = $0.api else { return false }
        text = answer.text
        return true
      })
      #expect(text == expected)
    }
    #expect(world.api.requests.count == 5)
  }

  @Test("a kept answer replaces no file where the service does not answer")
  func keptAndFile() async throws {
    world.api.answer(
      "GET", "http://rm.test/x", with: .json("1"), .failure(APIError(.timeout, "slow")),
      .failure(APIError(.timeout, "slow")))
    let lines = Lines(world)
    #expect(await lines.run("api get http://rm.test/x") == 0)
    try await world.files.write(Data("newer".utf8), to: "out", mode: .create)
    #expect(await lines.run("api get http://rm.test/x --out out") == 75)
    #expect(try await world.files.read("out", limit: 100) == Data("newer".utf8))
    #expect(await lines.run("api get http://rm.test/x --out other") == 0)
    #expect(try await world.files.read("other", limit: 100) == Data("1".utf8))
  }

  @Test(
    "a header of the line replaces that of the service",
    arguments: [
      ("bearer:{{secret:k}}", "Authorization:{{secret:l}}", "Authorization", "other"),
      ("bearer:{{secret:k}}", "authorization:{{secret:l}}", "Authorization", "other"),
      ("header:X-Token={{secret:k}}", "X-Token:mine", "X-Token", "mine"),
      ("bearer:{{secret:k}}", "Authorization;", "Authorization", ""),
    ])
  func typedHeader(auth: String, item: String, name: String, value: String) async throws {
    let world = World(
      MockKeychainService(
        entries: ["k": Data("hidden".utf8), "l": Data("other".utf8)]))
    world.api.answer { _ in .json("1") }
    let lines = Lines(world)
    #expect(await lines.run("api service add nas http://nas --auth \(auth)") == 0)
    #expect(await lines.run("api get nas/x \"\(item)\"") == 0, "\(lines.allPrinted)")
    let sent = try #require(world.api.requests.first?.headers)
    #expect(sent.filter { $0.name.lowercased() == name.lowercased() }.map(\.value) == [value])
    // No redirect to another host takes it along.
    let secrets = world.api.requests.first?.secretHeaders.map { $0.lowercased() } ?? []
    #expect(secrets.contains(name.lowercased()))
    #expect(await lines.run("api get nas/x \"\(item)\" --auth \(auth)") == 64)
    #expect(await lines.run("api get nas/x") == 0, "\(lines.allPrinted)")
    #expect(world.api.requests.last?.headers.value(of: name)?.hasSuffix("hidden") == true)
  }

  @Test("a body that may have any length has no time limit of its own, unless one is given")
  func longBodies() async throws {
    world.api.answer { _ in .json("1") }
    let lines = Lines(world)
    #expect(await lines.run("api get http://rm.test/x --out out") == 0)
    #expect(world.api.requests.last?.timeout == nil)
    #expect(world.api.requests.last?.idleLimit == .seconds(30))
    #expect(await lines.run("api get http://rm.test/x --out out --timeout 5s") == 0)
    #expect(world.api.requests.last?.timeout == .seconds(5))
    #expect(await lines.run("api get http://rm.test/x") == 0)
    #expect(world.api.requests.last?.timeout == .seconds(30))
  }

  @Test("Retry-After is heeded, for a minute at most")
  func retryAfter() throws {
    world.api.answer(
      "GET", "http://rm.test/x",
      with: .status(429, headers: [HTTPHeader("Retry-After", "7")]),
      .status(429, headers: [HTTPHeader("Retry-After", "60")]), .json("1"))
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/x --retry 2"))
    store.skipReceivedActions()
    #expect(world.clock.sleepers.map(\.offset) == [.seconds(7)])
    store.advance(by: .seconds(7))
    store.skipReceivedActions()
    #expect(world.clock.sleepers.map(\.offset) == [.seconds(67)])
    store.advance(by: .seconds(60))
    store.receive(.api(.again(job: 1)))
    store.receive(where: { if case .answered? = $0.api { true } else { false } })
  }

  @Test("a Retry-After that is no number and no date is none")
  func malformedRetryAfter() throws {
    world.api.answer(
      "GET", "http://rm.test/x",
      with: .status(503, headers: [HTTPHeader("Retry-After", "-5")]), .json("1"))
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/x --retry 2"))
    store.skipReceivedActions()
    #expect(world.clock.sleepers.map(\.offset) == [.milliseconds(200)])
  }

  @Test(
    "a request is not sent again before the time that the service asks for",
    arguments: [
      ("61", ""), ("99999999999999999999", ""), ("Fri, 31 Dec 2399 23:59:59 GMT", ""),
      ("4", "--timeout 3s"),
    ])
  func longRetryAfter(value: String, options: String) throws {
    let shown = value.hasSuffix("GMT") ? value : value + " s"
    for (status, code) in [(429, 4), (503, 5)] as [(Int, Int32)] {
      world.api.answer(
        "GET", "http://rm.test/\(status)",
        with: .status(status, headers: [HTTPHeader("Retry-After", value)]), .json("1"))
      let printed = try run(["api get http://rm.test/\(status) --retry 2 \(options)"], in: world)
      #expect(printed.map(\.status) == [code])
      #expect(
        printed[0].errors.contains("help: the service asks to wait: \(shown); try later"),
        "\(printed[0].errors)")
    }
    #expect(world.clock.sleepers.isEmpty)
    #expect(world.api.requests.count == 2)
  }

  @Test("-v has the body of a request that was sent again")
  func repeatedBody() throws {
    world.api.answer("PUT", "http://rm.test/x", with: .status(503), .json("1"))
    let store = world.looseStore()
    store.send(try action("api put http://rm.test/x a=1 --retry 1 -v"))
    store.skipReceivedActions()
    store.advance(by: .milliseconds(200))
    let ended = store.receive(where: { if case .answered? = $0.api { true } else { false } })
    guard case .answered(_, let answer, _)? = ended?.api else {
      Issue.record("not answered")
      return
    }
    #expect(answer.attempts == 2 && answer.sentBody?.text == #"{"a":"1"}"#)
  }

  @Test("a redirect without a Location is not advised to be followed")
  func redirectWithoutLocation() throws {
    world.api.answer("GET", "http://rm.test/x", with: .status(302))
    let printed = try run(["api get http://rm.test/x --follow 3"], in: world)
    #expect(printed.map(\.status) == [3])
    #expect(printed[0].errors.contains("help: it has no Location to follow: check the service"))
  }

  @Test(
    "a redirect is advised to be followed only where that helps",
    arguments: [
      (302, "/y", 0, "follow it with --follow 5"), (308, "/y", 98, "follow it with --follow 100"),
      (302, "/y", 100, "--follow goes on for 100 redirects at most: check the service"),
      (302, "", 2, "it has no Location to follow: check the service"),
      (302, "ftp://h/y", 0, "--follow does not follow a 302 to ftp://h/y"),
      (302, "http://", 0, "--follow does not follow a 302 to http://"),
      (302, "http://h:99999/", 0, "--follow does not follow a 302 to http://h:99999/"),
      (300, "/y", 0, "--follow does not follow a 300 to /y"),
      (
        300, "/" + String(repeating: "y", count: 64), 0,
        "--follow does not follow a 300 to /\(String(repeating: "y", count: 63))..."
      ),
      (305, "http://proxy/", 0, "--follow does not follow a 305 to http://proxy/"),
    ])
  func redirectAdvice(status: Int, location: String, redirects: Int, help: String) async {
    struct RedirectingClient: APIClient {
      let status: Int
      let location: String
      let redirects: Int

      func send(_ request: APIRequest) async throws(APIError) -> APIResponse {
        APIResponse(
          status: status, headers: [HTTPHeader("Location", location)], url: request.url,
          redirects: redirects)
      }
    }
    var dependencies = world.dependencies
    dependencies.apiClient = RedirectingClient(
      status: status, location: location, redirects: redirects)
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("api get http://nas/x") == 3)
    #expect(lines.allPrinted.contains("help: \(help)\n"), "\(lines.allPrinted)")
  }

  @Test("the help of 429 advises to try again only where --retry does")
  func tooManyRequests() throws {
    for method in ["GET", "POST"] {
      world.api.answer(method, "http://rm.test/x", with: .status(429))
    }
    let printed = try run(["api get http://rm.test/x", "api post http://rm.test/x a=1"], in: world)
    #expect(printed.map(\.status) == [4, 4])
    #expect(
      printed[0].errors.contains("help: the service takes no more for now; --retry 3 tries again"))
    #expect(printed[1].errors.contains("help: a POST is not sent again by itself"))
    #expect(printed[1].errors.contains("again by itself; try later\n"), "\(printed[1].errors)")
    for (status, wait) in [(429, "3600"), (503, "3600"), (429, "5"), (503, "5")] {
      world.api.answer(
        "GET", "http://rm.test/\(status)/\(wait)",
        with: .status(status, headers: [HTTPHeader("Retry-After", wait)]))
      let printed = try run(["api get http://rm.test/\(status)/\(wait)"], in: world)
      #expect(printed[0].errors.contains("--retry") == (wait == "5"), "\(printed[0].errors)")
    }
  }

  @Test(
    "the help of a request that is not repeated begins with the reason, and leaves out a wait of 0",
    arguments: [429, 503], ["", "0", "5", "3600"])
  func reasonAgainstRetry(status: Int, wait: String) throws {
    let headers = wait.isEmpty ? [] : [HTTPHeader("Retry-After", wait)]
    world.api.answer("POST", "http://rm.test/x", with: .status(status, headers: headers))
    let printed = try run(["api post http://rm.test/x --retry 2 a=1"], in: world)
    let begin = status == 429 ? "help: " : "help: the service failed; "
    #expect(
      printed[0].errors.contains("\(begin)a POST is not sent again by itself"),
      "\(printed[0].errors)")
    let isNamed = printed[0].errors.contains("the service asks to wait: \(wait) s\n")
    #expect(isNamed == ["5", "3600"].contains(wait), "\(printed[0].errors)")
    #expect(world.api.requests.count == 1)
  }

  @Test("a refused key of an address is advised to be given, and that of a service to be checked")
  func refusedKey() throws {
    world.api.answer { _ in .status(401) }
    let printed = try run(
      [
        "api service add nas http://rm.test", "api get http://rm.test/x", "api get nas/x",
      ], in: world)
    #expect(printed.map(\.status) == [0, 4, 4])
    #expect(printed[1].errors.contains("help: give a key with --auth"), "\(printed[1].errors)")
    #expect(
      printed[2].errors.contains(
        "'api service show NAME' says which secret is sent, unless the line has its own"),
      "\(printed[2].errors)")
  }

  @Test("a status that --retry does not repeat does not advise it", arguments: [408, 425, 500])
  func noRetryAdvice(status: Int) throws {
    let world = World()
    world.api.answer("GET", "http://rm.test/x", with: .status(status))
    let printed = try run(["api get http://rm.test/x --retry 3"], in: world)
    #expect(printed.map(\.status) == [status < 500 ? 4 : 5])
    #expect(
      printed[0].errors.contains("--retry does not repeat a \(status)"), "\(printed[0].errors)")
    #expect(world.api.requests.count == 1)
  }

  @Test(
    "options and values that cannot be followed are refused with advice",
    arguments: [
      ("--timeout 0s", "--timeout is at least 1ms, not '0s'"),
      ("--timeout 0.5ms", "--timeout is at least 1ms, not '0.5ms'"),
      ("--out ''", "the name of a file is empty"),
      (
        "--unix-socket ''", "the path of a socket has 1 to 107 bytes, and --unix-socket gives 0"
      ),
      ("--auth ''", "--auth names exactly one secret, at its end"),
      (
        "--proxy http://p:1 --unix-socket s",
        "--proxy does not go with --unix-socket, which is connected to directly"
      ),
      ("--proxy p:1", "--proxy takes an address, not 'p:1'"),
      (
        "--proxy http://p:99999",
        "the address in --proxy cannot be used: its port is not a number from 1 to 65535"
      ),
      (
        "--proxy ftp://p",
        "the address in --proxy cannot be used: its scheme is none of http, https, socks4, "
          + "socks4a, socks5, socks5h"
      ),
    ])
  func refusedValues(option: String, message: String) throws {
    let error = #expect(throws: UsageError.self) {
      try action("api get http://rm.test/ \(option)")
    }
    #expect(error?.message == message)
    #expect(error?.help?.isEmpty == false)
  }

  @Test("the pause stops growing at a minute, also behind a Retry-After")
  func longestPause() throws {
    let later = HTTPHeader("Retry-After", "60")
    world.api.answer(
      "GET", "http://rm.test/x",
      with: .status(503), .status(503), .status(503), .status(503), .status(503), .status(503),
      .status(503), .status(503), .status(503), .status(503), .status(503, headers: [later]),
      .status(503), .json("1"))
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/x --retry 80"))
    store.skipReceivedActions()
    var pauses: [Int64] = []
    while let end = world.clock.sleepers.first {
      let pause = end.offset - world.clock.now.offset
      pauses.append(pause.microseconds / 1000)
      store.advance(by: pause)
      store.skipReceivedActions()
    }
    #expect(
      pauses == [
        200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200, 60_000, 60_000, 60_000,
      ])
    #expect(store.state.api.answers.first?.attempts == 13)
  }

  @Test(
    "a Retry-After sets one pause, and the later ones double with each attempt",
    arguments: [("0", 0), ("Fri, 31 Dec 1999 23:59:59 GMT", 0), ("5", 5000)] as [(String, Int64)])
  func onePause(wait: String, asked: Int64) throws {
    let asking = MockAnswer.status(503, headers: [HTTPHeader("Retry-After", wait)])
    world.api.answer(
      "GET", "http://rm.test/x",
      with: asking, .status(503), asking, .status(503), .status(503), .json("1"))
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/x --retry 9"))
    store.skipReceivedActions()
    var pauses: [Int64] = []
    while let end = world.clock.sleepers.first {
      let pause = end.offset - world.clock.now.offset
      pauses.append(pause.microseconds / 1000)
      store.advance(by: pause)
      store.skipReceivedActions()
    }
    #expect(pauses.filter { $0 > 0 } == [asked, 400, asked, 1600, 3200].filter { $0 > 0 })
    #expect(store.state.api.answers.first?.attempts == 6)
  }

  @Test("an answer with a value that becomes a secret is forgotten")
  func laterSecret() async throws {
    let lines = Lines(world)
    world.api.answer(
      "POST", "http://rm.test/login",
      with: .response(status: 200, headers: [], body: Data(#"{"token":"hunter2-hunter2"}"#.utf8)))
    #expect(await lines.run("alias again 'echo hunter2-hunter2'") == 0)
    #expect(await lines.run("api post http://rm.test/login") == 0)
    #expect(lines.board.store.withState { $0.api.answers.count } == 1)
    world.logger.redactor.registerSecret(Array("hunter2-hunter2".utf8), name: "token")
    #expect(await lines.run("echo x") == 0)
    let state = lines.board.store.withState { copy $0 }
    #expect(state.api.answers == [])
    #expect(state.shell.aliases == nil)
    let text = String(decoding: try CanonicalEncoder.encode(state), as: UTF8.self)
    #expect(!text.contains("hunter2-hunter2"), "\(text)")
  }

  @Test("the value of an answer has its time and its size, but in earlier recordings")
  func measures() async throws {
    for measures in [true, nil] {
      let world = World()
      world.api.answer { _ in .json(#"{"a":1}"#) }
      var settings = BoardSettings.output(.json)
      settings.isTerminal = false
      settings.measuresAnswers = measures
      let lines = Lines(world, settings: settings)
      #expect(await lines.run("api get http://h/") == 0)
      let value = try JSON(parsing: lines.allPrinted)["value"]
      #expect(value?["ms"] == (measures == true ? 0 : nil))
      #expect(value?["bytes"] == (measures == true ? 7 : nil))
      #expect(try JSON(parsing: lines.board.store.state.shell.last?.text ?? "") == value)
      await lines.board.close()
    }
  }

  private static func keys(of json: JSON?) -> [String] {
    if case .object(let members) = json { members.map(\.key) } else { [] }
  }

  @Test(
    "the value of an answer has what the options of its line show, and nothing more",
    arguments: [
      ("", []), ("--headers", []), ("--timing", ["timing"]), ("--show-request", ["request"]),
      ("-v", ["request"]), ("--retry 2", ["attempts"]), ("--follow 3", ["redirects"]),
      ("--timing --retry 0 --follow 1", ["timing", "attempts", "redirects"]),
    ])
  func addedMembers(options: String, names: [String]) async throws {
    let world = World()
    world.api.answer { _ in .json(#"{"a":1}"#) }
    var settings = BoardSettings.output(.json)
    settings.isTerminal = false
    let lines = Lines(world, settings: settings)
    let line = "api get http://h/x X-A:1 X-A:2 Authorization:{{secret:radarr}}"
    #expect(await lines.run("\(line) \(options)") == 0, "\(lines.allPrinted)")
    let value = try #require(try JSON(parsing: lines.allPrinted)["value"])
    let usual = ["status", "headers", "body", "verdict"]
    #expect(Self.keys(of: value).filter { !usual.contains($0) } == names)
    if names.contains("timing") {
      #expect(
        Self.keys(of: value["timing"]) == ["lookup", "connect", "tls", "firstByte", "total"],
        "\(value.text)")
    }
    if let request = value["request"] {
      #expect(request["method"] == "GET" && request["url"] == "http://h/x", "\(value.text)")
      #expect(request["headers"]?["x-a"] == ["1", "2"], "\(request.text)")
      #expect(request["headers"]?["authorization"] == "[secret:radarr]", "\(request.text)")
    }
    if names.contains("attempts") { #expect(value["attempts"] == 1) }
    if names.contains("redirects") { #expect(value["redirects"] == 0) }
    await lines.board.close()
  }

  @Test("a kept request adds what it was kept with, and what the line that runs it shows")
  func addedMembersOfSaved() async throws {
    let world = World()
    world.api.answer { _ in .json(#"{"a":1}"#) }
    var settings = BoardSettings.output(.json)
    settings.isTerminal = false
    let lines = Lines(world, settings: settings)
    #expect(await lines.run("api get http://h/ --retry 1 --timing --save r") == 0)
    #expect(await lines.run("api run r") == 0)
    #expect(await lines.run("api run r --show-request") == 0)
    let values = try lines.allPrinted.split(separator: "\n").map {
      try JSON(parsing: String($0))["value"]
    }
    let usual = ["status", "headers", "body", "verdict"]
    #expect(
      values.map { Self.keys(of: $0).filter { !usual.contains($0) } } == [
        ["timing", "attempts"], ["timing", "attempts"], ["request", "attempts"],
      ])
    await lines.board.close()
  }

  @Test("an answer of control characters is kept in a form that a recording can hold")
  func controlCharacters() throws {
    let body = Data(repeating: 1, count: 1 << 18)
    world.api.answer(
      "GET", "http://rm.test/x", with: .response(status: 200, headers: [], body: body))
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/x"))
    let ended = store.receive(where: { _ in true })
    guard case .answered(_, let answer, _)? = ended?.api else {
      Issue.record("not answered")
      return
    }
    #expect(answer.text?.utf8.elementsEqual(body) == true && answer.bytes == body.count)
    #expect(answer.base64.flatMap { Data(base64Encoded: $0) } == body)
    // As text it would have six times as many bytes.
    #expect(try CanonicalEncoder.encode(ended).count < 2 * body.count)
  }

  @Test("a failure that asking again cannot mend is not asked again")
  func noRetry() throws {
    world.api.answer("GET", "http://rm.test/x", with: .failure(APIError(.tls, "bad certificate")))
    let printed = try run("api get http://rm.test/x --retry 3", in: world)
    #expect(printed.status == 76)
    #expect(world.api.requests.count == 1)
    #expect(printed.errors.contains("error: bad certificate"))
  }

  @Test("a request whose address has become a secret is not sent again")
  func retryOfASecret() throws {
    let redactor = world.logger.redactor
    world.api.answer { _ in
      redactor.registerSecret(Array("v4lue-in-path".utf8), name: "k")
      return .status(503)
    }
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/v4lue-in-path --retry 2", job: 1))
    store.skipReceivedActions()
    store.advance(by: .milliseconds(200))
    store.skipReceivedActions()
    #expect(world.api.requests.count == 1)
    #expect(store.state.api.pending == [])
    #expect(store.state.shell.lastStatus == 64)
  }

  @Test("cancelling a command ends its request with 130, and nothing comes afterwards")
  func cancel() throws {
    world.api.answer("GET", "http://rm.test/slow", with: .hang)
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/slow", job: 1))
    store.skipReceivedActions()
    #expect(world.api.hangingCount == 1)
    store.send(.shell(.cancelled(job: 1))) {
      $0.shell.lastStatus = 130
      $0.shell.running = []
    }
    #expect(world.api.hangingCount == 0)
    #expect(store.inFlight.isEmpty)
    #expect(store.received == [])
    let logged = world.logger.records.filter { $0.message.contains("/slow") }
    #expect(logged.map(\.message) == ["GET http://rm.test/slow: cancelled"])
    #expect(logged.map(\.level) == [.info])
  }

  @Test("a cancelled command leaves no request behind in the state", arguments: [true, false])
  func cancelledIsNotPending(byShell: Bool) throws {
    world.api.answer("GET", "http://rm.test/slow", with: .hang)
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/slow", job: 1))
    store.skipReceivedActions()
    if byShell {
      store.send(.shell(.cancelled(job: 1)))
    } else {
      store.send(try action("api cancel 1", job: 2))
    }
    store.skipReceivedActions()
    #expect(store.state.api.pending == [])
    #expect(store.state.shell.running == [])
  }

  @Test("api cancel: the job it cancels fails with 130, a job that is none is missing")
  func apiCancel() throws {
    world.api.answer("GET", "http://rm.test/slow", with: .hang)
    let store = world.looseStore()
    store.send(try action("api get http://rm.test/slow", job: 1))
    store.skipReceivedActions()
    store.send(try action("api cancel 9", job: 2))
    store.receive(where: { if case .failed(job: 2, _, _)? = $0.api { true } else { false } }) {
      $0.shell.lastStatus = 66
    }
    store.send(try action("api cancel", job: 3))
    #expect(store.effects.map(\.kind) == [.cancel, .send, .send])
    store.receive(where: { if case .failed(job: 1, _, _)? = $0.api { true } else { false } }) {
      $0.shell.lastStatus = 130
    }
    store.receive(.api(.succeeded(job: 3, result: .cancelled(jobs: [1]))))
    #expect(world.api.hangingCount == 0)
  }

  @Test("services: added, listed, shown, removed; a name that is near is offered")
  func services() throws {
    let printed = try run(
      [
        "api service add radarr http://nas:7878/api/ --auth header:X-Api-Key={{secret:radarr}}",
        "api service add radarr http://other", "api service list", "api service show radar",
        "api service remove radarr", "api service list",
      ], in: world)
    #expect(printed.map(\.status) == [0, 73, 0, 66, 0, 0])
    #expect(
      printed[2].output == """
        name    url                  auth
        ------  -------------------  ----------------------------------
        radarr  http://nas:7878/api  header:X-Api-Key={{secret:radarr}}

        """)
    #expect(printed[3].errors.contains("help: did you mean 'radarr'?"))
    #expect(printed[5].output == "name  url  auth\n----  ---  ----\n")
  }

  @Test("a request that is kept is sent again, with other items")
  func saved() throws {
    world.api.answer("GET", prefix: "http://rm.test/", with: .json("[]"))
    let printed = try run(
      [
        "api get http://rm.test/c page==1 size==5 --save first", "api run first page==2",
        "api run other",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 66])
    #expect(
      world.api.requests.map(\.url) == [
        "http://rm.test/c?page=1&size=5", "http://rm.test/c?size=5&page=2",
      ])
  }

  @Test("an item of the line takes the place of a kept member, whatever the sign of either")
  func savedMembers() async throws {
    world.api.answer { _ in .json("[]") }
    let signs = [
      ("a=1", #""1""#), ("a:=1", "1"), ("a=@text", #""of a file""#), ("a:=@json", #"{"b":2}"#),
    ]
    try await world.files.write(Data("of a file".utf8), to: "text", mode: .create)
    try await world.files.write(Data(#"{"b":2}"#.utf8), to: "json", mode: .create)
    for (kept, _) in signs {
      for (line, value) in signs {
        let before = world.api.requests.count
        let printed = try run(
          ["api post http://rm.test/c \(kept) z=9 --save first", "api run first \(line) b=3"],
          in: world)
        #expect(printed.map(\.status) == [0, 0], "\(kept), \(line): \(printed[1].errors)")
        let body = world.api.requests.dropFirst(before + 1).first?.body ?? Data()
        #expect(
          String(decoding: body, as: UTF8.self) == #"{"z":"9","a":\#(value),"b":"3"}"#,
          "\(kept), \(line)")
      }
    }
  }

  @Test(
    "a member that a line of api run repeats is refused, as one of api is; a form may repeat it")
  func repeatedSavedMembers() throws {
    world.api.answer { _ in .json("[]") }
    let printed = try run(
      [
        "api post http://rm.test/c a=1 --save json", "api run json a=1 a=2",
        "api run json b={{secret:radarr}} b:=2", "api run json a=2 a==3 A:4",
        "api post http://rm.test/c a=1 --form --save form", "api run form a=2 a=3",
      ], in: world)
    #expect(printed.map(\.status) == [0, 64, 64, 0, 0, 0])
    #expect(
      printed[1].errors.contains("'a=1' and 'a=2' are the same member of the JSON body"),
      "\(printed[1].errors)")
    #expect(printed[2].errors.contains("'b={{secret:radarr}}' and 'b:=2' are"))
    #expect(
      world.api.requests.map { String(decoding: $0.body ?? Data(), as: UTF8.self) } == [
        #"{"a":"1"}"#, #"{"a":"2"}"#, "a=1", "a=2&a=3",
      ])
  }

  @Test(
    "a request that was kept with a header that follows from its body is refused when it is run")
  func savedLength() throws {
    world.api.answer { _ in .json("[]") }
    for (name, item) in [
      ("Content-Length", #"{"kind":"header","name":"Content-Length","value":"7"}"#),
      ("transfer-encoding", #"{"kind":"emptyHeader","name":"transfer-encoding","value":""}"#),
    ] {
      let request =
        #"{"cache":"remoteFirst","follow":0,"isExplicit":true,"items":[\#(item)],"method":"POST","#
        + #""retries":0,"shown":"body","target":"http://rm.test/c"}"#
      let printed = try run(
        ["db preference set api.saved.old '\(request)'", "api run old", "api run old a=1"],
        in: world)
      #expect(printed.map(\.status) == [0, 65, 65], "\(printed.map(\.errors))")
      #expect(
        printed[1].errors.contains("the request kept as 'old' has the header \(name)"),
        "\(printed[1].errors)")
    }
    #expect(world.api.requests.isEmpty)
  }

  @Test(
    "a part of a body that claims to be JSON and is not fails with the reason and the place",
    arguments: [
      ("application/json", "{\"a\": 1,\n\"b\": }", 65, "row 2, character 6"),
      ("application/problem+json", #"{"a": 1, "a": 2}"#, 65, "character 10"),
      ("text/plain", "{\"b\": }", 66, "the answer has nothing at "),
      ("application/json", "", 66, "the answer has nothing at "),
      ("application/json", "{}", 66, "the answer has nothing at "),
    ])
  func partOfMalformedBody(type: String, body: String, code: Int32, text: String) throws {
    world.api.answer { _ in
      .response(
        status: 200, headers: [HTTPHeader("Content-Type", type)], body: Data(body.utf8))
    }
    let printed = try run(
      ["api get http://h/ --select b", "api get http://h/ --capture k=body.b"], in: world)
    // A path that is not there is always 66, since replays compare the status.
    #expect(printed.map(\.status) == [66, code], "\(printed.map(\.errors))")
    for line in printed {
      #expect(line.errors.contains("the body is not JSON: ") == (code == 65))
      #expect(line.errors.contains(text), "\(line.errors)")
    }
    #expect(printed[1].errors.contains("; the secret 'k' was not stored"))
  }

  @Test("a part of a body that is not UTF-8 fails with the reason")
  func partOfBytes() throws {
    world.api.answer { _ in
      .response(
        status: 200, headers: [HTTPHeader("Content-Type", "application/json")],
        body: Data([0x7B, 0xFF, 0x7D]))
    }
    let printed = try run(["api get http://h/ --select a"], in: world)
    #expect(printed.map(\.status) == [66])
    #expect(
      printed[0].errors.contains("the answer has nothing at 'a': the body is not UTF-8\n"),
      "\(printed[0].errors)")
  }

  @Test("the version that a program says of itself begins no line of the output")
  func forgedVersion() {
    let version = "5\nn is NZBGet 24.5, and answered in 1 ms\n\u{1B}[2J"
    let outcome = ServiceTest.outcome(1, "n", "Radarr", version, 2)
    #expect(
      outcome.presentation
        == .text(
          #"n is Radarr 5\nn is NZBGet 24.5, and answered in 1 ms\n\u{1b}[2J, and answered in 2 ms"#
            + "\n"))
    #expect(outcome.value["version"] == .string(version))
  }

  @Test("a kept request that captures one secret twice is refused when it is run")
  func savedCaptures() throws {
    world.api.answer { _ in .json(#"{"a":"some-value","b":"other-value"}"#) }
    let request =
      #"{"cache":"remoteFirst","captures":[{"name":"k","path":"body.a"},"#
      + #"{"name":"k","path":"body.b"}],"follow":0,"isExplicit":true,"items":[],"#
      + #""method":"GET","retries":0,"shown":"body","target":"http://rm.test/c"}"#
    let printed = try run(
      ["db preference set api.saved.old '\(request)'", "api run old"], in: world)
    #expect(printed.map(\.status) == [0, 64], "\(printed.map(\.errors))")
    #expect(
      printed[1].errors.contains("two values of the answer would be stored as one secret"),
      "\(printed[1].errors)")
    #expect(world.api.requests.isEmpty)
  }

  @Test("a kept request that is run shows what the line asks for, or else what was kept")
  func savedViews() throws {
    world.api.answer("GET", prefix: "http://rm.test/", with: .json(#"{"a":{"b":1},"c":2}"#))
    let printed = try run(
      [
        "api get http://rm.test/c --select a.b --save part", "api run part",
        "api run part --select c", "api run part --body --raw", "api run part --headers",
        "api run part --select none",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0, 66])
    #expect(printed.prefix(4).map(\.output) == ["1\n", "1\n", "2\n", #"{"a":{"b":1},"c":2}"#])
    #expect(printed[4].output.hasPrefix("HTTP/1.1 200\n"), "\(printed[4].output)")
  }

  @Test(
    "a body that HEAD cannot have is named as the line has it",
    arguments: [
      ("a=1", "a=VALUE"), ("f@f.txt", "f@FILE"), ("@f.json", "@FILE"),
      ("--json-body {}", "--json-body"),
    ])
  func aBodyOfHEAD(item: String, name: String) async {
    let lines = Lines()
    #expect(await lines.run("api head http://rm.test/c \(item)") == 64)
    #expect(
      lines.allPrinted.contains("HEAD takes no body: \(name) makes one"), "\(lines.allPrinted)")
    let isMember = ["a=1", "f@f.txt"].contains(item)
    #expect(lines.allPrinted.contains("a query item is written") == isMember)
    #expect(!lines.allPrinted.contains("GET takes"), "\(lines.allPrinted)")
  }

  @Test(
    "a member that GET cannot have is named as the line has it, with the bodies that it can have",
    arguments: [
      ("a:=1", "a:=VALUE"), ("f@f.txt", "f@FILE"), ("a=@f", "a=@FILE"),
      (#"'a\[b\]=1'"#, #"a\[b\]=VALUE"#),
    ])
  func aMemberOfGET(item: String, name: String) async {
    let lines = Lines()
    #expect(await lines.run("api get http://rm.test/c \(item)") == 64)
    #expect(
      lines.allPrinted.contains("GET takes no body: \(name) makes one"), "\(lines.allPrinted)")
    #expect(
      lines.allPrinted.contains("GET takes --json-body TEXT or @FILE; "), "\(lines.allPrinted)")
    let query = name.prefix { !":=@".contains($0) }.replacing("\\", with: "")
    #expect(
      lines.allPrinted.contains("a query item is written \(query)==VALUE; "),
      "\(lines.allPrinted)")
  }

  @Test("api head shows status and headers, also of a kept request, unless the line says what")
  func head() throws {
    world.api.answer("HEAD", prefix: "http://rm.test/", with: .json(""))
    let printed = try run(
      [
        "api head http://rm.test/c --save head", "api HEAD http://rm.test/c", "api run head",
        "api head http://rm.test/c --body", "api run head --body",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0])
    for shown in printed.prefix(3) {
      #expect(shown.output.hasPrefix("HTTP/1.1 200\n"), "\(shown.output)")
      #expect(shown.output.lowercased().contains("content-type: application/json"))
    }
    #expect(printed.suffix(2).map(\.output) == ["", ""])
  }

  @Test("the names of secrets are those that services name, where the keychain tells none")
  func secretNames() async throws {
    _ = try run(
      [
        "api service add b http://b.test --auth bearer:{{secret:second}}",
        "api service add a http://a.test --auth header:X-Key={{secret:first}}",
        "api service add c http://c.test",
      ], in: world)
    let names = await BoardFeatures.api.candidates(.secret, APIState(), world.dependencies)
    #expect(names == ["first", "second"])
  }

  @Test("requests that are kept are listed, completed and removed; a name that is near is offered")
  func savedList() async throws {
    world.api.answer { _ in .json("[]") }
    let printed = try run(
      [
        "api saved list", "api get http://rm.test/c page==1 --save second",
        "api PURGE http://rm.test/d --save first", "db preference set other 1",
        "db preference set api.saved.third 1", "api saved list", "api saved remove secund",
        "api saved remove second", "api saved remove second",
        "api run second", "api saved list",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0, 0, 66, 0, 66, 66, 0])
    #expect(printed[0].output == "name  method  target\n----  ------  ------\n")
    #expect(
      printed[5].output == """
        name    method  target
        ------  ------  ----------------
        first   PURGE   http://rm.test/d
        second  GET     http://rm.test/c

        """)
    #expect(printed[6].errors.contains("help: did you mean 'second'?"))
    #expect(printed[7].errors.contains("removed second"))
    #expect(printed[8].errors.contains("no request is kept as 'second'"))
    #expect(printed[8].errors.contains("help: 'api saved list' lists what is kept"))
    let names = await BoardFeatures.api.candidates(
      .savedRequest, APIState(), world.dependencies)
    #expect(names == ["first"])
  }

  /// Files whose working folder is `/here`.
  private struct FilesInFolder: FileService {
    func read(_ path: String, limit: Int) async throws(FileError) -> Data { Data("{}".utf8) }
    func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {}
    func absolutePath(_ path: String) -> String { path.hasPrefix("/") ? path : "/here/\(path)" }
    func shutDown(within duration: Duration) async -> Bool { true }
  }

  @Test("a kept request reads the same files from any folder, and writes to the one it is run in")
  func savedPaths() async throws {
    world.api.answer { _ in .json("[]") }
    var dependencies = world.dependencies
    dependencies.files = FilesInFolder()
    let lines = Lines(world, dependencies: dependencies)
    let line =
      "api post http://rm.test/c a=@a.txt b:=@/etc/b.json --cacert ca.pem --cert c.pem --key k.pem "
      + "--out body --save paths"
    #expect(await lines.run(line) == 0, "\(lines.allPrinted)")
    #expect(await lines.run("api post http://rm.test/c f@f.txt --unix-socket s --save other") == 0)
    #expect(await lines.run("api run other") == 0)
    let kept = try await world.persistence.preferences().map(\.json).joined()
    for path in [
      "/here/a.txt", "/etc/b.json", "/here/ca.pem", "/here/c.pem", "/here/k.pem",
      "/here/f.txt", "/here/s",
    ] {
      #expect(kept.contains("\"\(path)\""), "\(path): \(kept)")
    }
    #expect(kept.contains(#""out":"body""#), "\(kept)")
    #expect(world.api.requests.last?.connection.unixSocket == "/here/s")
    await lines.board.close()
  }

  @Test("a kept request is shown with all that it sends, and with secrets by their names")
  func savedShow() async throws {
    world.api.answer { _ in .json(#"{"id":"the-first-id","token":"the-new-token"}"#) }
    try await world.files.write(Data("text".utf8), to: "f.txt", mode: .create)
    let printed = try run(
      [
        "api post http://rm.test/c page==1 X-Key:{{secret:radarr}} Accept:a/b n:=3 'f@f.txt;type=a/b' "
          + "--retry 2 --timeout 1500ms --auth basic:me:{{secret:radarr}} --insecure "
          + "--capture k=body.token --capture l=body.id --select id --save one",
        "api saved show one", "api saved show two", "db preference set api.saved.two 1",
        "api saved show two", "api run two",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 66, 0, 66, 66], "\(printed)")
    #expect(
      printed[1].output
        == "api post http://rm.test/c page==1 X-Key:{{secret:radarr}} Accept:a/b n:=3 "
        + "'f@f.txt;type=a/b' --timeout 1500ms --retry 2 --select id --capture k=body.token "
        + "--capture l=body.id --auth basic:me:{{secret:radarr}} --insecure --save one\n",
      "\(printed[1].output)")
    let json = try run(["api saved show one"], in: world, settings: .output(.json))[0].output
    #expect(
      json.contains(
        #"{"kind":"file","name":"f","value":"f.txt","type":"a/b"}],"options":{"timeout":"1500ms","#
      ), "\(json)")
    for run in [printed[2], printed[4], printed[5]] {
      #expect(run.errors.contains("no request is kept as 'two'"), "\(run.errors)")
    }
  }

  @Test("a request has the time that its line says, and is among the kept ones once it is kept")
  func lineTime() async {
    world.api.answer { _ in .json("{}") }
    let lines = Lines(world)
    #expect(await lines.run("api service add s http://h; api get s/a --timeout 7s") == 0)
    #expect(await lines.run("api get s/b --timeout 8s --save one") == 0)
    #expect(world.api.requests.map(\.timeout) == [.seconds(7), .seconds(8)])
    #expect(lines.board.store.state.api.saved == ["one"])
    await lines.board.close()
  }

  @Test("the options behind a command act as before it")
  func optionsBehind() async {
    world.api.answer { _ in .json("{}", status: 404) }
    let lines = Lines(world)
    #expect(await lines.run("api get http://h/ --no-check-status") == 0)
    #expect(await lines.run("api get http://h/") == 4)
    #expect(await lines.run("db put a b 1 -q") == 0)
    #expect(await lines.run("api get http://h/ --offline") == 64)
    #expect(!lines.allPrinted.contains("saved a/b"))
    await lines.board.close()
  }

  @Test("an answer that is an error does not replace the file of --out")
  func failingOut() async throws {
    world.api.answer { _ in .json("no", status: 404) }
    try await world.files.write(Data("old".utf8), to: "f", mode: .create)
    let printed = try run("api get http://h/ --out f", in: world)
    #expect(printed.status == 4)
    #expect(printed.output.hasPrefix("no"))
    #expect(world.files.files["f"] == Data("old".utf8))
    let lines = Lines(world)
    #expect(await lines.run("api get http://h/ --out f --no-check-status") == 0)
    #expect(world.files.files["f"] == Data("no".utf8))
    await lines.board.close()
  }

  @Test("views exclude each other")
  func views() {
    for views in ["--headers --timing", "--body --verbose", "--pretty --raw"] {
      #expect(throws: UsageError.self) { try action("api get http://h/ \(views)") }
    }
  }

  @Test("off a terminal, what is selected has its characters as they are")
  func selectedText() throws {
    world.api.answer { _ in .json(#"{"t":"a\u001b[31mb"}"#) }
    var settings = BoardSettings()
    let line = "api get http://h/ --select t"
    settings.isTerminal = false
    #expect(try run(line, in: world, settings: settings).output == "a\u{1b}[31mb\n")
    settings.isTerminal = true
    #expect(try run(line, in: world, settings: settings).output == "a\\u{1b}[31mb\n")
  }

  @Test(
    "--raw has the selected part on one line, which was indented before", arguments: [true, nil])
  func rawPart(compacts: Bool?) throws {
    world.api.answer { _ in .json(#"{"a": {"b": [1.0, "\u00e9"]}, "t": "x"}"#) }
    var settings = BoardSettings()
    settings.compactsRawParts = compacts
    let indented = "{\n  \"b\": [\n    1.0,\n    \"é\"\n  ]\n}\n"
    for isTerminal in [true, false] {
      settings.isTerminal = isTerminal
      settings.isASCII = false
      func printed(_ options: String) throws -> String {
        try run("api get http://h/ --select \(options)", in: world, settings: settings).output
      }
      #expect(
        try printed("a --raw") == (compacts == true ? #"{"b":[1.0,"é"]}"# + "\n" : indented))
      #expect(try printed("a --pretty") == indented)
      #expect(try printed("t --raw") == "x\n")
    }
    settings.isTerminal = true
    settings.compactsRawParts = true
    world.api.answer { _ in .json("{\"a\": [{\"b\": \"\u{202e}\"}]}") }
    let line = "api get http://h/ --select a --raw"
    #expect(
      try run(line, in: world, settings: settings).output == "[{\"b\":\"\\u202e\"}]\n")
    settings.output = .csv
    #expect(try run(line, in: world, settings: settings).output.hasPrefix("b\r\n"))
  }

  @Test("a request that cannot be kept under its name is not sent")
  func unkeepable() throws {
    world.api.answer("POST", prefix: "http://rm.test/", with: .json("[]"))
    world.persistence.failNext("setPreference", with: .full)
    let printed = try run(
      ["api post http://rm.test/c a=1 --save first", "api run first"], in: world)
    #expect(printed.map(\.status) == [74, 66])
    #expect(world.api.requests.isEmpty)
  }

  @Test("a session at a terminal sees that another process has changed a service")
  func changedElsewhere() async throws {
    var atTerminal = BoardState()
    BoardFeatures.api.atTerminal(&atTerminal.api)
    for (state, second) in [(BoardState(), "http://rm.test/api/c"), (atTerminal, "http://new/c")] {
      let world = World()
      world.api.answer("GET", prefix: "http://", with: .json("[]"))
      try await world.persistence.saveService(rm, replacing: true)
      let store = world.looseStore(state)
      store.send(try action("api get rm/c", job: 1))
      while let next = store.received.first { store.receive(next) }
      try await world.persistence.saveService(
        APIService(name: "rm", baseURL: "http://new"), replacing: true)
      store.send(try action("api get rm/c", job: 2))
      while let next = store.received.first { store.receive(next) }
      #expect(world.api.requests.map(\.url) == ["http://rm.test/api/c", second])
    }
  }

  @Test("an import that replaces a service counts for the next request")
  func importedService() async throws {
    world.api.answer("GET", prefix: "http://", with: .json("[]"))
    let export = """
      {"swiftboard":"db export","version":1}
      {"service":{"name":"rm","baseURL":"http://new"}}
      """
    try await world.files.write(Data(export.utf8), to: "f", mode: .create)
    let printed = try run(
      [
        "api service add rm http://old", "api get rm/c", "db import f --existing replace",
        "api get rm/c",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 0, 0], "\(printed)")
    #expect(world.api.requests.map(\.url) == ["http://old/c", "http://new/c"])
  }

  @Test("a damaged service that was mended or removed since is shown, or said to be missing")
  func mendedService() async throws {
    let service = APIService(name: "bad", baseURL: "http://rm.test")
    for isMended in [true, false] {
      let world = World()
      if isMended { try await world.persistence.saveService(service, replacing: false) }
      let store = world.looseStore()
      let command = APICommand.serviceShow(name: "bad")
      let line = context("api service show bad", "api.service.show")
      store.send(.api(.run(context: line, command: command)))
      // What the first reading found.
      store.send(.api(.looked(job: 1, command: command, services: [], damaged: ["bad"])))
      store.receive(.api(.mended(job: 1, name: "bad", service: isMended ? service : nil)))
      store.receive {
        guard case .succeeded(job: 1, .service(service), _)? = $0.api else {
          guard case .failed(job: 1, let failure, _)? = $0.api else { return false }
          return !isMended && failure.error == "noSuchService"
        }
        return isMended
      }
      store.finish()
    }
  }

  @Test("a damaged service fails by itself, with what to do, and can be removed")
  func damagedService() throws {
    world.persistence.damageService("bad")
    world.api.answer("GET", "http://good.test/c", with: .json("[1]"))
    let printed = try run(
      [
        "api service add good http://good.test", "api get good/c", "api get bad/c",
        "api service show bad", "api service remove bad", "api service remove bad",
        "api get good/c",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 65, 65, 0, 66, 0], "\(printed.map(\.errors))")
    for failed in printed[2...3] {
      #expect(failed.errors.contains("the service bad no longer matches its checksum"))
      #expect(failed.errors.contains("help: Remove it, and add it again."))
    }
  }

  @Test("an answer that cannot be kept is shown, and the log says why")
  func unkeepableAnswer() throws {
    world.api.answer(
      "GET", "http://rm.test/c",
      with: .json("[1]", headers: [HTTPHeader("Cache-Control", "max-age=60")]))
    world.persistence.failNext("storeResponse", with: .full)
    #expect(try run(["api get http://rm.test/c"], in: world).map(\.status) == [0])
    #expect(world.logger.records.contains { $0.message.hasPrefix("an answer could not be kept") })
    world.api.answer("PUT", "http://rm.test/c", with: .status(204))
    world.persistence.failNext("cachedResponses", with: .busy)
    #expect(try run(["api put http://rm.test/c a=1"], in: world).map(\.status) == [0])
    #expect(
      world.logger.records.contains {
        $0.message.hasPrefix("what is kept of the address could not be removed")
      })
  }

  @Test("--resume refuses a body from standard input, which could not be sent again")
  func resumedInput() {
    #expect(throws: UsageError.self) {
      try action("api get http://rm.test/c @- --out f --resume")
    }
  }

  @Test("the cache: kept answers serve what is asked again, and can be seen and cleared")
  func cache() throws {
    world.api.answer(
      "GET", "http://rm.test/c",
      with: .json("[1]", headers: [HTTPHeader("Cache-Control", "max-age=60")]))
    let printed = try run(
      [
        "api get http://rm.test/c", "api get http://rm.test/c --cache localFirst",
        "api cache stats", "api cache clear", "api cache stats", "api cache clear zz",
        "api service add rm http://rm.test", "api cache clear rm",
      ], in: world)
    #expect(world.api.requests.count == 1)
    #expect(printed.map(\.status) == [0, 0, 0, 0, 0, 66, 0, 0])
    #expect(printed[5].errors.contains("no service named 'zz'"), "\(printed[5].errors)")
    #expect(printed[1].output == printed[0].output)
    #expect(printed[2].output.hasPrefix("entries  1\n"))
    #expect(printed[3].errors == "removed 1 kept answer\n")
    #expect(printed[4].output.hasPrefix("entries  0\n"))
  }

  @Test(
    "a kept answer is found under each spelling of its address",
    arguments: [
      ("http://rm.test/c", ["http://RM.test:80/./c", "'HTTP://rm.test/x/../%63#part'"], true),
      ("http://rm.test/?a={{secret:k}}", ["http://rm.test?a={{secret:k}}"], true),
      ("http://rm.test/{{secret:k}}", ["http://rm.test/b/../{{secret:k}}"], true),
      ("http://rm.test/{{secret:k}}", ["http://rm.test/%7B%7Bsecret:k%7D%7D"], false),
      ("http://rm.test/{{secret:k}}/secret.1.", ["http://rm.test/secret.1./{{secret:k}}"], false),
      (
        "'http://rm.test/c?a=1&b=2'", ["'http://rm.test/c?b=2&a=1'", "'http://rm.test/C?a=1&b=2'"],
        false
      ),
    ] as [(String, [String], Bool)])
  func spellings(address: String, others: [String], isSame: Bool) async {
    let world = World(MockKeychainService(entries: ["k": Data("some-value".utf8)]))
    world.api.answer { _ in .json("1") }
    let lines = Lines(world)
    for target in [address] + others {
      let status = await lines.run("api get \(target) --cache localFirst")
      #expect(status == 0, "\(lines.allPrinted)")
    }
    #expect(world.api.requests.count == (isSame ? 1 : 1 + others.count))
  }

  @Test("--out writes the body to a file, --select shows a part")
  func outAndSelect() throws {
    world.api.answer("GET", "http://rm.test/c", with: .json(#"{"a":[{"b":"x\ty"}]}"#))
    let printed = try run(
      [
        "api get http://rm.test/c --out body.json", "api get http://rm.test/c --select a[0].b",
        "api get http://rm.test/c --select a[9]",
      ], in: world)
    #expect(printed.map(\.status) == [0, 0, 66])
    #expect(world.files.files["body.json"] == Data(#"{"a":[{"b":"x\ty"}]}"#.utf8))
    #expect(printed[0].output == "")
    #expect(printed[1].output == "x\ty\n")
  }

  @Test("--select is the value of a line of JSON, and a failing status has the whole answer")
  func selectedJSON() throws {
    world.api.answer("GET", "http://rm.test/c", with: .json(#"{"a":[{"b":1}]}"#))
    world.api.answer("GET", "http://rm.test/e", with: .json(#"{"a":2}"#, status: 404))
    var settings = BoardSettings()
    settings.isTerminal = false
    settings.output = .json
    let printed = try run(
      [
        "api get http://rm.test/c --select a[0]",
        "api get http://rm.test/e --select a",
      ], in: world, settings: settings)
    #expect(printed.map(\.status) == [0, 4])
    #expect(printed[0].output.contains(#""value":{"b":1},"#), "\(printed[0].output)")
    #expect(printed[1].errors.contains(#""status":404"#), "\(printed[1].errors)")
  }

  @Test("bodies: JSON from items, a file, and what does not go together")
  func bodies() throws {
    world.api.answer("POST", "http://rm.test/c", with: .status(201))
    let files = world.files
    _ = try run("echo", in: world)
    let printed = try run(
      [
        "api post http://rm.test/c name=x count:=3 X-Trace:1", "api get http://rm.test/c name=x",
        "api post http://rm.test/c @missing",
      ], in: world)
    #expect(printed.map(\.status) == [0, 64, 66])
    let malformed = try #require(throws: UsageError.self) {
      try action("api post http://rm.test/c count:=x")
    }
    #expect(malformed.kind == .malformedData)
    #expect(world.api.requests.count == 1)
    let request = try #require(world.api.requests.first)
    #expect(request.body == Data(#"{"name":"x","count":3}"#.utf8))
    #expect(request.headers.value(of: "X-Trace") == "1")
    #expect(request.headers.value(of: "Content-Type") == "application/json")
    #expect(files.files.isEmpty)
  }
}
