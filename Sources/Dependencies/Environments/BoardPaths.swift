import SwiftBoardSystem

/// The paths of the board's files. Computing them accesses no file.
package struct BoardPaths: Sendable, Equatable {
  /// The name of the program, and of the folder for its files in each XDG folder.
  package let program: String
  /// `config.json`.
  package var configuration: String
  /// `init.sb`, run at the start.
  package var initScript: String
  /// `main.sqlite`, with data that must not be lost.
  package var mainDatabase: String
  /// `cache.sqlite`, with data that may be deleted.
  package var cacheDatabase: String
  /// `keychain.sbkc`.
  package var keychain: String
  /// The history of typed lines, one per line.
  package var history: String
  /// `log.jsonl`. Rotated files have a number as suffix.
  package var log: String
  /// The picture of the last graph that was opened.
  package var graph: String
  /// The analytics file, written with consent only.
  package var analytics: String
  /// The folder of the recordings.
  package var sessions: String

  /// - Parameters:
  ///   - home: The folder of all files. A relative path is resolved against the working folder. If
  ///     it is `nil` or empty, the files are in the folders of the XDG base directory
  ///     specification, each in a subfolder with the name of the program.
  ///   - environment: The environment variables `XDG_CONFIG_HOME`, `XDG_DATA_HOME`,
  ///     `XDG_STATE_HOME`, `XDG_CACHE_HOME` and `HOME`. Empty and relative values are ignored, as
  ///     the specification requires. If `HOME` is missing, the user database provides it.
  ///   - program: The name of the program.
  package init(
    home: String? = nil, environment: [String: String], program: String = "swiftboard"
  ) {
    if let home, !home.isEmpty {
      let folder = PathComponents.absolute(home)
      self.init(program, configuration: folder, data: folder, state: folder, cache: folder)
      return
    }
    func base(_ variable: String, _ standard: String) -> String {
      let folder =
        Self.ifAbsolute(environment[variable])
        ?? PathComponents.join(Self.userHome(environment), standard)
      return PathComponents.join(folder, program)
    }
    self.init(
      program, configuration: base("XDG_CONFIG_HOME", ".config"),
      data: base("XDG_DATA_HOME", ".local/share"),
      state: base("XDG_STATE_HOME", ".local/state"),
      cache: base("XDG_CACHE_HOME", ".cache"))
  }

  private init(
    _ program: String, configuration: String, data: String, state: String, cache: String
  ) {
    self.program = program
    self.configuration = PathComponents.join(configuration, "config.json")
    initScript = PathComponents.join(configuration, "init.sb")
    mainDatabase = PathComponents.join(data, "main.sqlite")
    keychain = PathComponents.join(data, "keychain.sbkc")
    history = PathComponents.join(state, "history")
    log = PathComponents.join(state, "log.jsonl")
    analytics = PathComponents.join(state, "analytics.jsonl")
    sessions = PathComponents.join(state, "sessions")
    cacheDatabase = PathComponents.join(cache, "cache.sqlite")
    graph = PathComponents.join(cache, "graph.svg")
  }

  private static func ifAbsolute(_ path: String?) -> String? {
    guard let path, path.hasPrefix("/") else { return nil }
    return path
  }

  /// Returns the folder of the user: `HOME` if it is absolute, or else that of the user database.
  package static func userHome(_ environment: [String: String]) -> String {
    if let home = ifAbsolute(environment["HOME"]) { return home }
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 << 10) { buffer in
      guard let address = buffer.baseAddress,
        getpwuid_r(getuid(), &entry, address, buffer.count, &found) == 0, found != nil,
        let folder = entry.pw_dir, let home = ifAbsolute(String(cString: folder))
      else { return "/" }
      return home
    }
  }
}
