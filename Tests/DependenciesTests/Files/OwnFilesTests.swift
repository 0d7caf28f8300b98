import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

@Suite("the board's own files")
struct OwnFilesTests {
  let folder: TemporaryFolder
  let paths: BoardPaths
  let own: OwnFiles

  init() throws {
    folder = try TemporaryFolder()
    paths = BoardPaths(home: folder.path("home"), environment: [:])
    own = OwnFiles([paths])
  }

  private func makeHome() throws {
    for name in ["home", "home/sessions", "elsewhere"] {
      #expect(mkdir(folder.path(name), 0o700) == 0)
    }
  }

  private func title(_ path: String, isRecording: Bool = false) -> String? {
    own.title(of: path.hasPrefix("/") ? path : folder.path(path), isRecording: isRecording)
  }

  static let names: [(String, String)] = [
    ("keychain.sbkc", "keychain"), ("keychain.sbkc.lock", "keychain"),
    (".keychain.sbkc.0123456789abcdef.tmp", "keychain"), ("main.sqlite", "database"),
    ("main.sqlite-wal", "database"), ("main.sqlite-shm", "database"),
    ("main.sqlite-journal", "database"), ("main.sqlite.damaged", "database"),
    ("main.sqlite.before-2", "database"), ("cache.sqlite", "cache"), ("cache.sqlite-wal", "cache"),
    ("log.jsonl", "log"), ("log.jsonl.1", "log"), ("log.jsonl.12", "log"),
    ("analytics.jsonl", "analytics"), ("history", "history"), ("config.json", "configuration"),
    ("init.sb", "start script"),
  ]

  @Test(
    "each is known by its name, there or not yet, and with its folder or without", arguments: names)
  func byName(name: String, title expected: String) throws {
    #expect(title("home/\(name)") == expected, "without the folder")
    try makeHome()
    #expect(title("home/\(name)") == expected, "without the file")
    #expect(title("home/\(name.uppercased())") == expected)
    #expect(title("elsewhere/../home/./\(name)") == expected)
    #expect(title("home//sessions/..//\(name)") == expected)
    #expect(title("home/\(name)", isRecording: true) == expected)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("elsewhere/dangling"), withDestinationPath: "../home/\(name)")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("elsewhere/second"), withDestinationPath: "dangling")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("linked"), withDestinationPath: folder.path("home"))
    #expect(title("elsewhere/second") == expected)
    #expect(title("linked/\(name)") == expected)
    try folder.write("x", to: "home/\(name)")
    #expect(title("elsewhere/second") == expected)
    #expect(title("linked/\(name)") == expected)
    #expect(link(folder.path("home/\(name)"), folder.path("elsewhere/hard")) == 0)
    #expect(title("elsewhere/hard") == expected, "another name of the same file")
  }

  @Test("a database that is a link to one elsewhere is known there, with its log")
  func linkedDatabase() throws {
    try makeHome()
    try folder.write("x", to: "elsewhere/data")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("home/main.sqlite"), withDestinationPath: "../elsewhere/data")
    #expect(title("elsewhere/data") == "database")
    #expect(title("elsewhere/data-wal") == "database")
  }

  @Test(
    "what only looks like one is the user's",
    arguments: [
      "main.sqlite.backup", "keychain.sbkc.old", "log.jsonl.txt", "my-main.sqlite", "out.json",
      "history.txt", "other/keychain.sbkc",
    ])
  func others(name: String) throws {
    try makeHome()
    #expect(mkdir(folder.path("home/other"), 0o700) == 0)
    #expect(title("home/\(name)") == nil)
    #expect(title("elsewhere/main.sqlite") == nil)
    #expect(title("main.sqlite") == nil)
  }

  @Test("a new recording may be among the recordings, and nothing else")
  func sessions() throws {
    #expect(title("home/sessions/a.jsonl") == "recordings")
    try makeHome()
    for name in ["a.jsonl", "deep/er/a.jsonl", "../sessions/a.jsonl"] {
      #expect(title("home/sessions/\(name)") == "recordings")
      #expect(title("home/sessions/\(name)", isRecording: true) == nil)
    }
    try folder.write("x", to: "home/sessions/a.jsonl")
    #expect(link(folder.path("home/sessions/a.jsonl"), folder.path("elsewhere/hard")) == 0)
    #expect(title("elsewhere/hard") == "recordings")
    #expect(title("home/sessions") == "recordings")
    #expect(title("home/sessions.txt") == nil)
  }

  @Test("the folder of recordings and its home are created for one directly in it, and no others")
  func folderOfRecordings() throws {
    let service = LiveFileService(own: paths)
    let path = folder.path("home/./sessions/a.jsonl")
    for name in [
      "a.jsonl", "home/a.jsonl", "home/sessions", "home/sessions/", "home/sessions.txt",
      "home/sessions/deep/a.jsonl", "home/other/a.jsonl", "sessions/a.jsonl",
    ] {
      try service.makeFolder(ofRecording: folder.path(name))
      try LiveFileService().makeFolder(ofRecording: path)
      for other in ["home", "sessions"] {
        #expect(FileInfo(folder.path(other)) == nil, "\(name)")
      }
    }
    for _ in 1...2 { try service.makeFolder(ofRecording: path) }
    for name in ["home", "home/sessions"] {
      let info = try #require(FileInfo(folder.path(name)))
      #expect(info.isFolder && info.mode & 0o777 == 0o700)
    }
  }

  @Test("a folder of recordings that cannot be created is said with the recording's name")
  func refusedFolderOfRecordings() throws {
    try folder.write("x", to: "home")
    let path = folder.path("home/sessions/a.jsonl")
    let error = #expect(throws: FileError.self) {
      try LiveFileService(own: paths).makeFolder(ofRecording: path)
    }
    #expect(error?.kind == .cannotCreate && error?.path == path)
  }

  @Test("the recording that runs is refused, wherever it is, and so are its rotated files")
  func runningRecording() throws {
    try makeHome()
    let service = LiveFileService(own: paths)
    let path = folder.path("elsewhere/r.jsonl")
    service.protect(recording: path)
    for name in ["r.jsonl", "./r.jsonl", "r.jsonl.1", "r.jsonl.12"] {
      for isRecording in [false, true] {
        let error = #expect(throws: FileError.self) {
          try service.checkTarget(folder.path("elsewhere/\(name)"), isRecording: isRecording)
        }
        #expect(error?.kind == .ownFile && error?.message.contains("recording that runs") == true)
      }
    }
    try service.checkTarget(folder.path("elsewhere/r.json"), isRecording: false)
    service.protect(recording: nil)
    try service.checkTarget(path, isRecording: false)
  }

  @Test("a service refuses them in every mode, says which, and leaves them")
  func service() async throws {
    try makeHome()
    try folder.write("kept", to: "home/keychain.sbkc")
    let service = LiveFileService(own: paths)
    for mode in [FileWriteMode.replace, .append, .create] {
      for name in ["home/keychain.sbkc", "home/main.sqlite"] {
        let error = await #expect(throws: FileError.self) {
          try await service.write(Data("x".utf8), to: folder.path(name), mode: mode)
        }
        #expect(error?.kind == .ownFile)
        #expect(
          error?.message.contains(name == "home/main.sqlite" ? "database" : "keychain") == true)
      }
    }
    #expect(try folder.read("home/keychain.sbkc") == Array("kept".utf8))
    #expect(!FileManager.default.fileExists(atPath: folder.path("home/main.sqlite")))
    #expect(throws: Never.self) {
      try LiveFileService().checkTarget(folder.path("home/keychain.sbkc"), isRecording: false)
    }
    try await service.write(Data("x".utf8), to: folder.path("home/out"), mode: .replace)
  }

  @Test("one that becomes the board's own while it is written is not replaced")
  func again() throws {
    try makeHome()
    try folder.write("mine", to: "elsewhere/file")
    var file = try OutputFile(folder.path("elsewhere/file"), .replace)
    try Array("x".utf8).withUnsafeBytes { bytes in try file.write(bytes) }
    unlink(folder.path("elsewhere/file"))
    try folder.write("kept", to: "home/keychain.sbkc")
    #expect(link(folder.path("home/keychain.sbkc"), folder.path("elsewhere/file")) == 0)
    let service = LiveFileService(own: paths)
    #expect(throws: FileError.self) {
      try file.finish { (path) throws(FileError) in
        try service.checkTarget(path, isRecording: false)
      }
    }
    #expect(try folder.read("elsewhere/file") == Array("kept".utf8))
  }
}
