import SwiftBoardSystem

/// The locations of the board's files. Computing it touches no file.
package struct BoardPaths: Sendable, Equatable {
  /// `config.json`.
  package var configuration: String
  /// `init.sb`, run at the start.
  package var initScript: String
  /// `main.sqlite`: what must not be lost.
  package var mainDatabase: String
  /// `cache.sqlite`: what may be deleted.
  package var cacheDatabase: String
  /// `keychain.sbkc`.
  package var keychain: String
  /// What was typed, one line each.
  package var history: String
  /// `log.jsonl`; rotated ones have a number after it.
  package var log: String
  /// What is counted, with consent only.
  package var analytics: String
  /// A folder.
  package var sessions: String

  /// - Parameters:
  ///   - home: With it, every file is straight under this folder; a relative one is taken from the
  ///     working folder. `nil` or empty: the folders of the XDG base directory specification, each
  ///     with `/swiftboard` after it.
  ///   - environment: `XDG_CONFIG_HOME`, `XDG_DATA_HOME`, `XDG_STATE_HOME`, `XDG_CACHE_HOME` and
  ///     `HOME` count. Empty and relative values are ignored, as the specification says; a missing
  ///     `HOME` is looked up in the user database.
  package init(home: String? = nil, environment: [String: String]) {
    if let home, !home.isEmpty {
      let folder = Self.absolute(home)
      self.init(configuration: folder, data: folder, state: folder, cache: folder)
      return
    }
    func base(_ variable: String, _ standard: String) -> String {
      let folder =
        Self.ifAbsolute(environment[variable])
        ?? PathComponents.join(Self.userHome(environment), standard)
      return PathComponents.join(folder, "swiftboard")
    }
    self.init(
      configuration: base("XDG_CONFIG_HOME", ".config"),
      data: base("XDG_DATA_HOME", ".local/share"),
      state: base("XDG_STATE_HOME", ".local/state"),
      cache: base("XDG_CACHE_HOME", ".cache"))
  }

  private init(configuration: String, data: String, state: String, cache: String) {
    self.configuration = PathComponents.join(configuration, "config.json")
    initScript = PathComponents.join(configuration, "init.sb")
    mainDatabase = PathComponents.join(data, "main.sqlite")
    keychain = PathComponents.join(data, "keychain.sbkc")
    history = PathComponents.join(state, "history")
    log = PathComponents.join(state, "log.jsonl")
    analytics = PathComponents.join(state, "analytics.jsonl")
    sessions = PathComponents.join(state, "sessions")
    cacheDatabase = PathComponents.join(cache, "cache.sqlite")
  }

  private static func ifAbsolute(_ path: String?) -> String? {
    guard let path, path.hasPrefix("/") else { return nil }
    return path
  }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/") else { return path }
    guard let buffer = getcwd(nil, 0) else { return path }
    defer { free(buffer) }
    return PathComponents.join(String(cString: buffer), path)
  }

  private static func userHome(_ environment: [String: String]) -> String {
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
