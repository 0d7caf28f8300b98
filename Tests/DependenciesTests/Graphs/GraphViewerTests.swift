import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

@Suite("pictures of graphs", .timeLimit(.minutes(20)))
struct GraphViewerTests {
  private let folder: TemporaryFolder

  init() async throws {
    folder = try TemporaryFolder()
    try await script("dot", "cat > \(folder.path("text")); echo '<svg/>'")
  }

  /// Writes a program of the folder.
  private func script(_ name: String, _ lines: String) async throws {
    try await folder.write(program: lines, to: name)
  }

  /// A viewer with the folder's programs, which waits for each of them.
  private func viewer(browser: String) -> LiveGraphViewer {
    LiveGraphViewer(
      picture: folder.path("cache/graph.svg"), variables: ["BROWSER": browser],
      program: folder.path("dot"), patience: 3_600_000)
  }

  private func error(browser: String = "true") async -> GraphError? {
    await #expect(throws: GraphError.self) { try await viewer(browser: browser).show("digraph {}") }
  }

  @Test("the picture is the owner's, replaces the previous one, and is opened")
  func shown() async throws {
    try await script("show", "cat \"$2\" > \"$1\"")
    for text in ["digraph a {}", "digraph \"é\" {}"] {
      let path = try await viewer(
        browser: "no-such-program:\(folder.path("show")) \(folder.path("shown"))"
      ).show(text)
      #expect(path == folder.path("cache/graph.svg"))
      #expect(try folder.read("text") == Array(text.utf8))
      #expect(try folder.read("shown") == Array("<svg/>\n".utf8))
      #expect(FileInfo(path)?.permissions == 0o600)
    }
    let names = try FileSystem().names(in: folder.path("cache")).filter { !$0.hasPrefix(".") }
    #expect(names == ["graph.svg"])
  }

  @Test("BROWSER may say where the picture stands in its command")
  func placeholder() async throws {
    try await script("show", "echo \"$*\" > \(folder.path("shown"))")
    let path = try await viewer(browser: "\(folder.path("show")) --new=%s --quiet").show(
      "digraph {}")
    #expect(try folder.read("shown") == Array("--new=\(path) --quiet\n".utf8))
  }

  @Test("a program that does not end is not waited for, and lives on")
  func endless() async throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    try await script("show", "echo x > \(folder.path("pipe"))")
    var viewer = viewer(browser: folder.path("show"))
    viewer.patience = 0
    _ = try await viewer.show("digraph {}")
    #expect(try await LiveFileService().read(folder.path("pipe"), limit: 9) == .init("x\n".utf8))
  }

  @Test("what is missing or fails is an error, and no unfinished picture is left")
  func errors() async throws {
    #expect(
      await error(browser: "no-such-program") == .noViewer(picture: folder.path("cache/graph.svg")))
    #expect(
      await error(browser: "false") == .failed(program: "false", message: "it ended with code 1"))
    // More than a pipe holds, before the text is read.
    try await script("dot", "yes broken | head -c 200000 >&2; exit 3")
    #expect(await error() == .failed(program: "dot", message: "broken"))
    try await script("dot", "exit 3")
    #expect(await error() == .failed(program: "dot", message: "it ended with code 3"))
    try FileSystem().remove(folder.path("dot"))
    #expect(await error() == .notInstalled)
    try folder.write("", to: "file")
    try await script("dot", "cat")
    var other = viewer(browser: "true")
    other.picture = folder.path("file/graph.svg")
    let elsewhere = other
    let error = await #expect(throws: GraphError.self) {
      try await elsewhere.show("digraph {}")
    }
    guard case .file? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    let names = try FileSystem().names(in: folder.path("cache")).filter { !$0.hasPrefix(".") }
    #expect(names == ["graph.svg"])
  }

  @Test("cancelling the task ends 'dot'")
  func cancelled() async throws {
    #expect(mkfifo(folder.path("pipe"), 0o600) == 0)
    try await script("dot", "exec cat \(folder.path("pipe"))")
    let task = Task { try await viewer(browser: "true").show("digraph {}") }
    // It runs once it reads the pipe.
    let writer = try await DetachedThread.run {
      try Interruption().open(folder.path("pipe"), O_WRONLY)
    }
    task.cancel()
    await #expect(throws: GraphError.self) { try await task.value }
    var ended = pollfd(fd: writer.number, events: 0, revents: 0)
    #expect(poll(&ended, 1, -1) == 1)
  }

  @Test(
    "Graphviz draws what the board writes",
    .enabled(if: ChildProgram.isInstalled("dot"), "Graphviz is not installed"))
  func graphviz() async throws {
    let viewer = LiveGraphViewer(
      picture: folder.path("graph.svg"), variables: ["BROWSER": "true"], patience: 3_600_000)
    let path = try await viewer.show("digraph \"a\" {\n  \"x\" [label=\"<é> \\\"q\\\"\"];\n}\n")
    let svg = String(decoding: try folder.read("graph.svg"), as: UTF8.self)
    #expect(path == folder.path("graph.svg"))
    #expect(svg.contains("<svg") && svg.contains("&lt;é&gt; &quot;q&quot;"), "\(svg)")
  }
}
