import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

/// Requests whose file is a named pipe that no other process has opened.
@Suite("PipeWait", .timeLimit(.minutes(5)))
struct PipeWaitTests {
  private let folder: TemporaryFolder
  private let pipe: String
  private let clock = ManualClock()
  private let dependencies: Dependencies

  init() throws {
    folder = try TemporaryFolder()
    pipe = folder.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    let api = MockAPIClient()
    api.answer { _ in .json("{}") }
    var dependencies = Dependencies.mock(clock: clock)
    dependencies.apiClient = api
    dependencies.files = LiveFileService()
    self.dependencies = dependencies
  }

  /// - Parameter content: The body, or `nil` for a request whose answer goes into the pipe.
  private func planned(_ content: APIContent?, limit: Duration?) -> PlannedRequest {
    var request = APIRequest(method: "POST", url: "http://h/", timeout: limit)
    if let content {
      request.references = APIReferences()
      request.references?.content = content
    }
    return PlannedRequest(
      request, key: "key", service: "", policy: .noCache,
      file: content == nil ? .init(path: pipe, continues: false, showsProgress: false) : nil)
  }

  private var contents: [APIContent?] {
    let path = SecretText(parts: [.text(pipe)])
    return [
      nil, APIContent(.whole(.file(path: path, shown: "pipe", type: nil))),
      APIContent(.json, members: [.init(name: "m", value: .textFile(path: path, shown: "pipe"))]),
    ]
  }

  private func answer(to planned: PlannedRequest) -> Task<APIAnswer, any Error> {
    Task { [dependencies] in try await APIExchange(dependencies).answer(to: planned) }
  }

  @Test("the time limit of a request ends its wait for the other end of a pipe")
  func limited() async throws {
    for content in contents {
      let planned = planned(content, limit: .seconds(2))
      let answer = answer(to: planned)
      await clock.waitForSleepers()
      clock.advance(by: .seconds(2))
      let error = await #expect(throws: APIError.self) { try await answer.value }
      #expect(error?.kind == .timeout)
      #expect(
        error?.message
          == "nothing passed through the pipe \(pipe) within the time limit of 2 s")
      try await endOfReaders(ofPipe: pipe)
    }
    #expect(clock.sleeperCount == 0)
  }

  @Test("a pipe whose other end is opened in time is used, and no wait is left")
  func inTime() async throws {
    for content in contents {
      let planned = planned(content, limit: .seconds(2))
      let answer = answer(to: planned)
      await clock.waitForSleepers()
      if content == nil {
        #expect(try await LiveFileService().read(pipe, limit: 9) == Data("{}".utf8))
      } else {
        try await LiveFileService().write(Data("x".utf8), to: pipe, mode: .replace)
      }
      #expect(try await answer.value.status == 200)
      #expect(clock.sleeperCount == 0)
    }
  }

  @Test("without a time limit, only the end of the task ends the wait")
  func cancelled() async throws {
    for content in contents {
      let planned = planned(content, limit: nil)
      let answer = answer(to: planned)
      answer.cancel()
      await #expect(throws: (any Error).self) { try await answer.value }
      try await endOfReaders(ofPipe: pipe)
    }
  }
}
