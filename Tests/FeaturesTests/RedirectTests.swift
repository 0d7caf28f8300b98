import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardTestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite("Redirects")
struct RedirectTests {
  @Test(
    "a redirect that waits for a pipe's reader takes no thread from anything else",
    .timeLimit(.minutes(60)))
  func pipes() async throws {
    let folder = try TemporaryFolder()
    let lines = Lines()
    let pipes = (0..<64).map { folder.path("pipe\($0)") }
    for pipe in pipes { #expect(mkfifo(pipe, 0o600) == 0) }
    await withTaskGroup(of: Int32.self) { group in
      for pipe in pipes { group.addTask { await lines.run("echo x > \(pipe)") } }
      #expect(await lines.run("echo y") == 0)
      for pipe in pipes {
        let read = try? await LiveFileService().read(pipe, limit: 100)
        #expect(read == .init("x\n".utf8))
      }
      for await code in group { #expect(code == 0) }
    }
  }
}
