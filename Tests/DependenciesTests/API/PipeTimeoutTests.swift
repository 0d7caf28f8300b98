import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

/// Requests whose file is a named pipe that no other process has opened.
@Suite("PipeTimeout", .timeLimit(.minutes(20)))
struct PipeTimeoutTests {
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

  @Test("a member from a pipe may take longer than the limit, as long as something comes in time")
  func member() async throws {
    let waits = EventLog<Duration>()
    var dependencies = dependencies
    dependencies.clock = BoardClock(
      now: { 0 },
      sleep: {
        waits.append($0)
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        throw CancellationError()
      })
    let api = MockAPIClient()
    api.answer { _ in .json("{}") }
    dependencies.apiClient = api
    let planned = planned(contents[2], limit: .seconds(2))
    let answer = Task { [dependencies] in
      try await APIExchange(dependencies).answer(to: planned)
    }
    // The wait for the first byte, and one for each piece and the end.
    _ = await waits.first { $0.count >= 1 ? true : nil }
    let writer = try await DetachedThread.run { [pipe] () throws(SystemError) in
      try FileSystem().open(pipe, O_WRONLY)
    }
    _ = try FileSystem().write(Array("a".utf8), to: writer)
    _ = await waits.first { $0.count >= 3 ? true : nil }
    _ = try FileSystem().write(Array("b".utf8), to: writer)
    _ = await waits.first { $0.count >= 4 ? true : nil }
    writer.close()
    #expect(try await answer.value.status == 200)
    #expect(api.requests.map(\.body) == [Data(#"{"m":"ab"}"#.utf8)])
    #expect(waits.events == Array(repeating: .seconds(2), count: 4))
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
