import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

struct BoardPathsTests {
  @Test("one folder holds everything") func oneFolderForEverything() {
    let paths = BoardPaths(home: "/tmp/board", environment: ["XDG_DATA_HOME": "/elsewhere"])
    #expect(paths.configuration == "/tmp/board/config.json")
    #expect(paths.initScript == "/tmp/board/init.sb")
    #expect(paths.mainDatabase == "/tmp/board/main.sqlite")
    #expect(paths.keychain == "/tmp/board/keychain.sbkc")
    #expect(paths.history == "/tmp/board/history")
    #expect(paths.log == "/tmp/board/log.jsonl")
    #expect(paths.sessions == "/tmp/board/sessions")
    #expect(paths.cacheDatabase == "/tmp/board/cache.sqlite")
  }

  @Test("the standard folders of XDG are used") func standardFolders() {
    let paths = BoardPaths(environment: ["HOME": "/home/rick"])
    #expect(paths.configuration == "/home/rick/.config/swiftboard/config.json")
    #expect(paths.initScript == "/home/rick/.config/swiftboard/init.sb")
    #expect(paths.mainDatabase == "/home/rick/.local/share/swiftboard/main.sqlite")
    #expect(paths.keychain == "/home/rick/.local/share/swiftboard/keychain.sbkc")
    #expect(paths.history == "/home/rick/.local/state/swiftboard/history")
    #expect(paths.log == "/home/rick/.local/state/swiftboard/log.jsonl")
    #expect(paths.sessions == "/home/rick/.local/state/swiftboard/sessions")
    #expect(paths.cacheDatabase == "/home/rick/.cache/swiftboard/cache.sqlite")
  }

  @Test(
    "variables name the folders, where they are absolute",
    arguments: [
      ("XDG_CONFIG_HOME", \BoardPaths.configuration, "config.json"),
      ("XDG_DATA_HOME", \BoardPaths.mainDatabase, "main.sqlite"),
      ("XDG_STATE_HOME", \BoardPaths.log, "log.jsonl"),
      ("XDG_CACHE_HOME", \BoardPaths.cacheDatabase, "cache.sqlite"),
    ] as [(String, KeyPath<BoardPaths, String> & Sendable, String)])
  func variables(name: String, path: KeyPath<BoardPaths, String> & Sendable, file: String) {
    func value(_ folder: String) -> String {
      BoardPaths(environment: ["HOME": "/h", name: folder])[keyPath: path]
    }
    let standard = BoardPaths(environment: ["HOME": "/h"])[keyPath: path]
    #expect(value("/x/y") == "/x/y/swiftboard/\(file)")
    #expect(value("/x/y/") == "/x/y/swiftboard/\(file)")
    #expect(value("relative/x") == standard)
    #expect(value("./x") == standard)
    #expect(value("~/x") == standard)
    #expect(value("") == standard)
  }

  @Test("missing home is looked up") func missingHomeIsLookedUp() {
    for home in [nil, "", "relative"] {
      let paths = BoardPaths(environment: home.map { ["HOME": $0] } ?? [:])
      #expect(paths.log.hasPrefix("/"))
      #expect(paths.log.hasSuffix("/.local/state/swiftboard/log.jsonl"))
    }
  }

  @Test("relative home option is taken from the working folder")
  func relativeHomeOptionIsTakenFromTheWorkingFolder() {
    let path = BoardPaths(home: "sub", environment: [:]).log
    #expect(path.hasPrefix("/"))
    #expect(path.hasSuffix("/sub/log.jsonl"))
  }
}
