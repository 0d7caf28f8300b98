import SwiftBoardDependencies
import SwiftBoardSystem
import Testing

@Suite(.timeLimit(.minutes(20)))
struct MockAPIClientTests {
  private struct Character: Decodable, Equatable {
    var id: Int
    var name: String
  }

  @Test("answers come in order, and the last stays") func answersInOrderAndTheLastStays()
    async throws
  {
    let mock = MockAPIClient()
    mock.answer("GET", "http://H:80/a", with: .status(503), .json("1"))
    let request = APIRequest(url: "http://h/a")
    let statuses = [
      try await mock.send(request).status, try await mock.send(request).status,
      try await mock.send(request).status,
    ]
    #expect(statuses == [503, 200, 200])
    #expect(mock.requests == [request, request, request])
  }

  @Test("newer rules come first") func newerRulesComeFirst() async throws {
    let mock = MockAPIClient()
    mock.answer("GET", prefix: "http://h/", with: .status(404))
    mock.answer("GET", "http://h/a", with: .json("{}"))
    mock.answer { $0.method == "DELETE" ? .status(204) : nil }
    #expect(try await mock.send(APIRequest(url: "http://h/a")).status == 200)
    #expect(try await mock.send(APIRequest(url: "http://h/b")).status == 404)
    #expect(try await mock.send(APIRequest(method: "DELETE", url: "http://h/a")).status == 204)
  }

  @Test("an unanswered request says which answer to give")
  func anUnansweredRequestSaysWhichAnswerToGive() async {
    let mock = MockAPIClient()
    let error = await #expect(throws: APIError.self) {
      try await mock.send(APIRequest(url: "http://h/a?apikey=hidden&page=2"))
    }
    #expect(error?.kind == .unanswered)
    #expect(
      error?.message.contains(#"mock.answer("GET", "http://h/a?apikey=...&page=...", with: "#)
        == true)
    #expect(error?.message.contains("hidden") == false)
  }

  @Test("failures are thrown") func failuresAreThrown() async {
    let mock = MockAPIClient()
    mock.answer("GET", "http://h/", with: .failure(APIError(.dns, "no such host")))
    let error = await #expect(throws: APIError.self) {
      try await mock.send(APIRequest(url: "http://h/"))
    }
    #expect(error == APIError(.dns, "no such host"))
  }

  @Test("a hanging answer ends when it is cancelled") func hangsUntilCancelled() async {
    let mock = MockAPIClient()
    mock.answer("GET", "http://h/", with: .hang)
    let task = Task { try await mock.send(APIRequest(url: "http://h/")) }
    await mock.waitForRequests()
    task.cancel()
    let error = await #expect(throws: APIError.self) { try await task.value }
    #expect(error?.kind == .cancelled)
    #expect(mock.hangingCount == 0)
  }

  @Test("a hanging answer ends when it is released") func hangsUntilReleased() async throws {
    let mock = MockAPIClient()
    mock.answer("GET", "http://h/", with: .hang)
    let task = Task { try await mock.send(APIRequest(url: "http://h/")) }
    await mock.waitForHanging()
    mock.release(with: .json("7"))
    #expect(try await task.value.body == Data("7".utf8))
  }

  @Test("an answer is decoded as a value") func decodesAValue() async throws {
    let mock = MockAPIClient.preview
    let rick: Character = try await mock.request(APIEndpoint(url: "http://any/api/character/1"))
    #expect(rick == Character(id: 1, name: "Rick Sanchez"))
  }

  @Test(
    "what is not a value is undecodable",
    arguments: [
      (MockAnswer.json("{}", status: 404), "status 404"), (.json("{"), "it is not JSON"),
      (.json(#"{"id":"hidden","name":"x"}"#), "at id"), (.json(#"{"id":1}"#), "at name"),
      (.json(#"{"id":1,"name":null}"#), "at name"),
    ])
  func whatIsNotAValueIsUndecodable(answer: MockAnswer, reason: String) async {
    let mock = MockAPIClient()
    mock.answer("GET", "http://h/a?k=hidden", with: answer)
    let error = await #expect(throws: APIError.self) {
      let _: Character = try await mock.request(
        APIEndpoint(url: "http://h/a", query: [QueryItem("k", "hidden")]))
    }
    #expect(error?.kind == .undecodable)
    #expect(error?.message.contains(reason) == true)
    #expect(error?.message.contains("hidden") == false)
  }
}

struct SampleAnswerTests {
  private struct Page: Decodable {
    struct Info: Decodable {
      var count: Int
      var pages: Int
      var next: String?
    }
    struct Character: Decodable {
      var id: Int
      var name: String
      var url: String
    }
    var info: Info
    var results: [Character]
  }

  private func page(_ query: [QueryItem]) async throws(APIError) -> Page {
    try await MockAPIClient.preview.request(
      APIEndpoint(url: "http://any.example/api/character", query: query))
  }

  @Test("the samples come in pages of twenty") func listsTwenty() async throws {
    let page = try await page([])
    #expect(page.info.count == 23 && page.info.pages == 2 && page.info.next != nil)
    #expect(page.results.map(\.id) == Array(1...20))
    #expect(page.results[2].url == "http://any.example/api/character/3")
  }

  @Test("the samples are filtered by name and status") func filters() async throws {
    #expect(try await page([QueryItem("name", "SMITH")]).results.map(\.id) == [2, 3, 4, 5])
    let dead = try await page([QueryItem("name", "rick"), QueryItem("status", "dead")])
    #expect(dead.results.map(\.name) == ["Adjudicator Rick"])
  }

  @Test(
    "the samples answer with the statuses of their services",
    arguments: [
      ("/api/character/7", 200), ("/api/character/99", 404), ("/api/character/x", 500),
      ("/api/character?page=3", 404), ("/api/character?name=nobody", 404),
      ("/radarr/api/v3/system/status", 200), ("/", 404), ("/elsewhere", 404),
    ])
  func statuses(path: String, status: Int) async throws {
    let response = try await MockAPIClient.preview.send(APIRequest(url: "http://any" + path))
    #expect(response.status == status)
    #expect(throws: Never.self) { try JSONDecoder().decode(Anything.self, from: response.body) }
  }

  @Test("items answer with what was sent") func itemsAnswerWithWhatWasSent() async throws {
    let preview = MockAPIClient.preview
    func send(_ method: String, _ path: String, _ body: String? = nil) async throws -> APIResponse {
      try await preview.send(
        APIRequest(method: method, url: "http://any/api" + path, body: body.map { Data($0.utf8) }))
    }
    let added = try await send("POST", "/items", #"{"name":"tea"}"#)
    #expect(added.status == 201 && added.body == Data(#"{"name":"tea"}"#.utf8))
    #expect(try await send("PUT", "/items/7", #"{"count":4}"#).status == 200)
    #expect(try await send("DELETE", "/items/7").status == 204)
    #expect(try await send("POST", "/character").status == 405)
  }

  @Test("what is not an address is refused") func whatIsNoAddressIsRefused() async {
    let error = await #expect(throws: APIError.self) {
      try await MockAPIClient.preview.send(APIRequest(url: "ftp://any/"))
    }
    #expect(error?.kind == .unsupportedScheme)
  }

  @Test("a matching tag is not modified") func aMatchingTagIsNotModified() async throws {
    let client = MockAPIClient.preview
    let url = "http://any/api/character/1"
    let tag = try #require(try await client.send(APIRequest(url: url)).headers.value(of: "ETag"))
    let again = APIRequest(url: url, headers: [HTTPHeader("If-None-Match", tag)])
    #expect(try await client.send(again).status == 304)
  }
}

/// Any JSON text decodes as this.
private struct Anything: Decodable {
  init(from decoder: any Decoder) {}
}
