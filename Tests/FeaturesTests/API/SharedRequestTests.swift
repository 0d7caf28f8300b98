import SwiftBoardBoard
import SwiftBoardFeatures
import Testing

@testable import SwiftBoardDependencies

@Suite("equal requests of a board")
struct SharedRequestTests {
  @Test("two lines that accept a kept answer to an equal request are one exchange")
  func oneExchange() async throws {
    let world = World()
    world.api.answer { _ in .hang }
    var dependencies = world.dependencies
    let (joins, continuation) = AsyncStream.makeStream(of: Int.self)
    dependencies.exchanges = ResponseExchanges { continuation.yield($0) }
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("api get http://h/x --cache localFirst &") == 0)
    #expect(await lines.run("api get http://h/x --cache localFirst &") == 0)
    #expect(await lines.run("api get http://h/y --cache localFirst &") == 0)
    for await count in joins where count == 2 { break }
    await world.api.waitForHanging(2)
    world.api.release(with: .json(#"{"a":1}"#))
    #expect(await lines.run("wait") == 0)
    #expect(world.api.requests.map(\.url).sorted() == ["http://h/x", "http://h/y"])
    #expect(lines.board.store.state.api.answered == 3)
  }

  @Test("lines that ask the service have an exchange each")
  func ownExchanges() async throws {
    let world = World()
    world.api.answer { _ in .hang }
    let lines = Lines(world)
    for policy in ["remoteFirst", "noCache"] {
      #expect(await lines.run("api get http://h/x --cache \(policy) &") == 0)
      #expect(await lines.run("api get http://h/x --cache \(policy) &") == 0)
    }
    await world.api.waitForHanging(4)
    world.api.release(with: .json("{}"))
    #expect(await lines.run("wait") == 0)
    #expect(world.api.requests.count == 4)
  }
}
