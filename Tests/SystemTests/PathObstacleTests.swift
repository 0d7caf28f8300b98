import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@Suite("obstacles on the way to a path")
struct PathObstacleTests {
  @Test("a path that exists, or is only missing, has none")
  func none() throws {
    let folder = try TemporaryFolder()
    try folder.write("", to: "file")
    try #require(symlink(folder.path, folder.path("link")) == 0)
    for path in ["", "file", "missing", "missing/folder/file", "link/missing/file"] {
      #expect(PathObstacle(to: folder.path(path)) == nil, "\(path)")
    }
    #expect(PathObstacle(to: "missing/file") == nil)
    #expect(PathObstacle(to: folder.path, isFolder: true) == nil)
  }

  @Test("a file in place of a folder is one, and at the path itself if that is a folder's")
  func file() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("", to: "file")
    for path in ["file/a", "file/a/b"] {
      #expect(PathObstacle(to: folder.path(path)) == .file(file), "\(path)")
    }
    #expect(PathObstacle(to: file, isFolder: true) == .file(file))
  }

  @Test("a link without a target is one, wherever it is in the path")
  func link() throws {
    let folder = try TemporaryFolder()
    let link = folder.path("link")
    for target in [folder.path("nowhere"), "nowhere/further", "\(folder.path("nowhere"))/a"] {
      try #require(symlink(target, link) == 0)
      for path in ["link", "link/a", "link/a/b"] {
        let obstacle = PathObstacle(to: folder.path(path))
        #expect(obstacle == .link(link), "\(path) to \(target)")
        #expect(obstacle?.description == "'\(link)' is a symbolic link that leads nowhere")
      }
      unlink(link)
    }
  }

  @Test("a loop of links is one, with the reason of the system")
  func loop() throws {
    let folder = try TemporaryFolder()
    let loop = folder.path("loop")
    try #require(symlink("loop", loop) == 0)
    for path in ["loop", "loop/a", "loop/a/b"] {
      #expect(PathObstacle(to: folder.path(path)) == .refusal(loop, code: ELOOP), "\(path)")
    }
  }

  @Test("a name that is too long is one, and not the folder that it would be in")
  func longName() throws {
    let folder = try TemporaryFolder()
    let name = folder.path(String(repeating: "n", count: 300))
    for path in [name, name + "/a", name + "/a/b"] {
      let obstacle = PathObstacle(to: path)
      #expect(obstacle == .refusal(name, code: ENAMETOOLONG), "\(path)")
      #expect(
        obstacle?.description
          == "'\(name)' cannot be examined: \(SystemError.text(of: ENAMETOOLONG))", "\(path)")
    }
  }

  @Test("a file that another process makes or replaces meanwhile is none")
  func changingFile() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path("file")
    let made = Task.detached {
      for _ in 0..<5000 {
        try folder.write("", to: "file")
        unlink(path)
      }
    }
    var found: Set<PathObstacle> = []
    for _ in 0..<5000 {
      if let obstacle = PathObstacle(to: path) { found.insert(obstacle) }
    }
    try await made.value
    #expect(found.isEmpty, "\(found)")
  }

  @Test(
    "a folder without permission is one, and not what would be below it",
    .enabled(if: geteuid() != 0, "root may enter every folder"))
  func permission() throws {
    let folder = try TemporaryFolder()
    let closed = folder.path("closed")
    try FileSystem().makeFolder(closed)
    chmod(closed, 0)
    defer { chmod(closed, 0o700) }
    #expect(PathObstacle(to: closed) == nil)
    for path in ["closed/a", "closed/a/b"] {
      let obstacle = PathObstacle(to: folder.path(path))
      #expect(obstacle == .closed(closed, isOwn: true), "\(path)")
      #expect(
        obstacle?.description
          == "'\(closed)' cannot be entered: \(SystemError.text(of: EACCES))", "\(path)")
    }
  }
}
