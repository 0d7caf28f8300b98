import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import Testing

@Suite("Malformed data")
struct MalformedDataTests {
  /// `Failure` is one type for code that imports the command line and the features.
  @Test(
    "malformed data has one name, found in the line or by a service",
    arguments: ["db put c 1 @bad.json", "db put c 1 '[1,'", "api post http://rm.test/c count:=x"])
  func malformed(line: String) async throws {
    let world = World()
    try await world.files.write(.init("[1,".utf8), to: "bad.json", mode: .create)
    var failure: Failure
    do {
      let store = world.looseStore()
      store.send(try action(line))
      let ended = store.receive(where: { if case .failed? = $0.db { true } else { false } })
      guard case .failed(_, let found)? = ended?.db else {
        Issue.record("\(line) ended as \(String(describing: ended))")
        return
      }
      failure = found
    } catch let error as UsageError {
      failure = Failure(error)
    }
    #expect(failure.code == 65)
    #expect(failure.error == "malformedData")
  }
}
