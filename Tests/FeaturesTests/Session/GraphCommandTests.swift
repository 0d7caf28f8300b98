import SwiftBoardDependencies
import SwiftBoardTestSupport
import Synchronization
import Testing

@Suite("session graph --open")
struct GraphCommandTests {
  @Test("the service gets the text of the graph, with marks for secrets")
  func shown() async throws {
    let folder = try TemporaryFolder()
    let world = World()
    var dependencies = world.dependencies
    let shown = Mutex<[String]>([])
    dependencies.showGraph = { text in
      shown.withLock { $0.append(text) }
      return "/pictures/graph.svg"
    }
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("session record \(folder.path("r.jsonl"))") == 0)
    #expect(await lines.run("set a swordfish") == 0)
    #expect(await lines.run("session graph --by shell.variables.a") == 0)
    world.logger.redactor.registerSecret(Array("swordfish".utf8), name: "fish")
    #expect(await lines.run("session graph --by shell.variables.a --open") == 0)
    let texts = shown.withLock { $0 }
    #expect(texts.count == 1)
    #expect(texts[0].hasPrefix("digraph ") && texts[0].contains("«secret:fish»"), "\(texts)")
    #expect(!texts[0].contains("swordfish"))
    #expect(lines.allPrinted.hasSuffix("/pictures/graph.svg\n"), "\(lines.allPrinted)")
  }

  @Test(
    "a range behind the running recording's end has no steps, not even that of its own command",
    arguments: [("2..2", true), ("3..3", false), ("4..9", false), ("\(Int.max)..", false)])
  func rangeBehindTheEnd(range: String, hasSteps: Bool) async throws {
    let folder = try TemporaryFolder()
    let lines = Lines()
    try lines.board.record(to: folder.path("r.jsonl"))
    for line in ["set a 1", "set a 2"] { #expect(await lines.run(line) == 0) }
    let before = lines.allPrinted.count
    #expect(await lines.run("session graph --causes --range \(range)") == 0)
    let graph = lines.allPrinted.dropFirst(before)
    #expect(graph.hasPrefix("digraph \"causes\" {\n") && graph.hasSuffix("}\n"), "\(graph)")
    #expect(graph.contains("shape=box") == hasSteps, "\(graph)")
  }

  @Test(
    "why nothing was shown is a failure of the line",
    arguments: [
      (GraphError.notInstalled, "install the package graphviz"),
      (.noViewer(picture: "/p.svg"), "BROWSER"),
      (.failed(program: "dot", message: "broken"), "'dot' failed: broken"),
    ])
  func failed(error: GraphError, text: String) async throws {
    let folder = try TemporaryFolder()
    let world = World()
    var dependencies = world.dependencies
    dependencies.showGraph = { (_) async throws(GraphError) in throw error }
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("session record \(folder.path("r.jsonl"))") == 0)
    #expect(await lines.run("session graph --open") == 69)
    #expect(lines.allPrinted.contains(text), "\(lines.allPrinted)")
  }
}
