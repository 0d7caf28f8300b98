import SwiftBoardSystem
import Testing

@Suite("the parts of a path")
struct PathComponentsTests {
  @Test(
    "a path is split at its last slash",
    arguments: [
      ("a", ".", "a"), ("/a", "/", "a"), ("a/b", "a", "b"), ("/a/b/c", "/a/b", "c"), ("", ".", ""),
      ("a/", "a", ""), ("/", "/", ""), ("a//b", "a/", "b"), ("é/ß", "é", "ß"),
    ])
  func parts(path: String, folder: String, name: String) {
    let parts = PathComponents(path)
    #expect(parts.folder == folder)
    #expect(parts.name == name)
  }

  @Test(
    "slashes at the end are ignored on request",
    arguments: [("a/b/", "a", "b"), ("a//", ".", "a"), ("/a/", "/", "a"), ("/", "/", "")])
  func trailing(path: String, folder: String, name: String) {
    let parts = PathComponents(path, ignoresTrailingSlashes: true)
    #expect(parts.folder == folder)
    #expect(parts.name == name)
  }

  @Test("a folder and a name are joined by one slash")
  func joined() {
    #expect(PathComponents.join("/", "a") == "/a")
    #expect(PathComponents.join("a", "b") == "a/b")
  }
}
