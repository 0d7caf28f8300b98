import CSQLite
import CSodium
import SwiftBoardSystem

/// Inspects the libraries, files and variables that the live services use. Reads at most the first
/// bytes of a file, and changes nothing.
struct LiveInstallation: Sendable {
  let paths: BoardPaths
  let variables: [String: String]
  /// Whether this process has opened the main database. If so, the file must not be opened and
  /// closed separately, because that would release SQLite's locks.
  let isDatabaseOpen: Bool
  /// The same of the cache.
  let isCacheOpen: Bool

  func findings() -> [InstallationFinding] {
    libraries + files + folders + [keychain] + settings
  }

  private var libraries: [InstallationFinding] {
    let built = LibraryVersions.built
    func loaded(_ name: String, _ version: String, _ header: String) -> InstallationFinding {
      InstallationFinding(name, "\(version), built with \(header)")
    }
    var findings = [
      loaded("libsodium", String(cString: sodium_version_string()), built.sodium),
      loaded("SQLite", String(cString: sqlite3_libversion()), built.sqlite),
    ]
    switch CurlLibrary.loaded {
    case .success(let library):
      findings.append(loaded("libcurl", library.version, built.curl))
    case .failure(let error):
      findings.append(
        InstallationFinding(
          "libcurl", .problem, error.message, remedy: .installHTTP))
    }
    return findings
  }

  private var files: [InstallationFinding] {
    [
      ("configuration", paths.configuration), ("init script", paths.initScript),
      ("database", paths.mainDatabase), ("cache", paths.cacheDatabase), ("log", paths.log),
      ("history", paths.history), ("recordings", paths.sessions),
    ].map { subject, path in
      guard let info = FileInfo(path) else {
        return obstacle(subject, path)
          ?? InstallationFinding(subject, "\(path), not there yet")
      }
      let size = info.isFolder ? "" : ", \(info.size) bytes"
      return finding(subject, path, info, also: size)
    }
  }

  private var keychain: InstallationFinding {
    guard let info = FileInfo(paths.keychain) else {
      return obstacle("keychain", paths.keychain)
        ?? InstallationFinding(
          "keychain", .note, "\(paths.keychain), not there yet", remedy: .createKeychain)
    }
    let found = finding("keychain", paths.keychain, info, also: ", \(info.size) bytes")
    guard found.state == .good, !hasRollbackMarks else { return found }
    return InstallationFinding(
      "keychain", .note,
      "\(found.text); whether an older file was put back cannot be told without the database")
  }

  /// Whether the database, which has the records of the last saves, can be read if it exists.
  private var hasRollbackMarks: Bool {
    guard let info = FileInfo(paths.mainDatabase) else { return true }
    return contentProblem("database", paths.mainDatabase, info)?.state != .problem
  }

  /// Returns the problem of a path at which nothing can be created, because it leads through a file
  /// or is a link without a target, or `nil` if there is none.
  private func obstacle(_ subject: String, _ path: String) -> InstallationFinding? {
    if FileInfo(path, followsLink: false) != nil {
      return InstallationFinding(
        subject, .problem, "\(path) is a symbolic link that leads nowhere",
        remedy: .other("remove the link, or create what it points to"))
    }
    return PathComponents.file(inPlaceOf: PathComponents(path).folder).map { file in
      InstallationFinding(
        subject, .problem, "\(path) cannot be made: '\(file)' is a file, not a folder",
        remedy: .other("move the file away"))
    }
  }

  /// Returns a problem if the file is of another kind, if others can change it, if they can read it
  /// although it is private, or if its first bytes are not its own.
  private func finding(
    _ subject: String, _ path: String, _ info: FileInfo, also text: String
  ) -> InstallationFinding {
    let mode = String(info.mode & 0o777, radix: 8)
    if info.owner != geteuid() {
      return InstallationFinding(
        subject, .problem, "\(path) belongs to another user",
        remedy: .runAsOwner)
    }
    if let problem = kindProblem(of: path, info) {
      return InstallationFinding(
        subject, .problem, "\(path) \(problem)", remedy: .other("move it away"))
    }
    let isOpen = [paths.configuration, paths.initScript].contains(path)
    guard info.mode & (isOpen ? 0o022 : 0o077) == 0 else {
      return InstallationFinding(
        subject, .problem, "\(path) may be used by others (mode \(mode))",
        remedy: .changeMode(path: path, mode: info.isFolder ? 0o700 : 0o600))
    }
    return contentProblem(subject, path, info) ?? InstallationFinding(subject, path + text)
  }

  /// Returns what a file is if it cannot be used as that kind, or `nil`.
  private func kindProblem(of path: String, _ info: FileInfo) -> String? {
    if path == paths.sessions { return info.isFolder ? nil : "is not a folder" }
    // `--config` also takes a pipe or a device.
    let ownFolder = PathComponents(paths.initScript).folder
    if path == paths.configuration, PathComponents(path).folder != ownFolder, !info.isFolder {
      return nil
    }
    guard info.isRegular else { return info.isFolder ? "is a folder, not a file" : "is not a file" }
    let isLink = FileInfo(path, followsLink: false)?.isLink == true
    return path == paths.log && isLink ? "is a symbolic link, and the log is written to none" : nil
  }

  /// Returns the problem of the first bytes of a database or of the keychain, or `nil`.
  private func contentProblem(
    _ subject: String, _ path: String, _ info: FileInfo
  ) -> InstallationFinding? {
    do throws(SystemError) {
      switch path {
      case paths.mainDatabase where !isDatabaseOpen:
        return try databaseProblem(subject, path, .main)
      case paths.cacheDatabase where !isCacheOpen:
        return try databaseProblem(subject, path, .cache)
      case paths.keychain
      where try start(of: path, KeychainFormat.magic.count)
        != KeychainFormat.magic:
        return InstallationFinding(
          subject, .problem, "\(path) is not a keychain",
          remedy: .other("move the file away, or put a backup in its place"))
      default: return nil
      }
    } catch {
      return InstallationFinding(
        subject, .problem, "\(path) cannot be read: \(error)",
        remedy: .other("check the disk, or put a backup in its place"))
    }
  }

  /// Returns the problem of a database's header, or `nil`. Damage of a file that may be lost is a
  /// note: the next call that needs it begins a new file.
  private func databaseProblem(
    _ subject: String, _ path: String, _ schema: DatabaseSchema
  ) throws(SystemError) -> InstallationFinding? {
    let header = DatabaseHeader(try start(of: path, DatabaseHeader.size))
    guard let problem = header.problem(of: schema) else { return nil }
    if schema.whenDamaged == .startAnew, problem.isReplaceable {
      return InstallationFinding(
        subject, .note, "\(path) \(problem.text)",
        remedy: .other("the next command that needs it moves it away and begins a new one"))
    }
    return InstallationFinding(
      subject, .problem, "\(path) \(problem.text)", remedy: .other(problem.advice))
  }

  private func start(of path: String, _ count: Int) throws(SystemError) -> [UInt8] {
    let files = FileSystem()
    let file = try files.open(path, O_RDONLY)
    return try files.read(file, limit: count)
  }

  /// The space on the disks of the data.
  private var folders: [InstallationFinding] {
    var folder = PathComponents(paths.mainDatabase).folder
    while FileInfo(folder)?.isFolder != true, folder != PathComponents(folder).folder {
      folder = PathComponents(folder).folder
    }
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else {
      return [
        InstallationFinding("disk", .problem, "\(folder): \(SystemError.last("statvfs"))")
      ]
    }
    let free = (UInt64(status.f_bavail) * UInt64(status.f_frsize)) >> 20
    guard access(folder, W_OK) == 0 else {
      return [
        InstallationFinding(
          "disk", .problem, "\(folder) cannot be written to",
          remedy: .otherFolder)
      ]
    }
    return [
      free < 64
        ? InstallationFinding(
          "disk", .problem, "\(free) MiB free at \(folder)", remedy: .freeSpace)
        : InstallationFinding("disk", "\(free) MiB free at \(folder)")
    ]
  }

  /// The names of variables, never their values.
  private var settings: [InstallationFinding] {
    let names = variables.keys.filter { $0.hasPrefix("SWIFTBOARD_") }.sorted()
    var findings = [
      InstallationFinding(
        "variables",
        names.isEmpty ? "no SWIFTBOARD_ variable is set" : names.joined(separator: ", "))
    ]
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { variables[$0] }.first { !$0.isEmpty }
    let isUTF8 = locale.map { $0.uppercased().contains("UTF") } ?? false
    findings.append(
      isUTF8
        ? InstallationFinding("locale", locale ?? "")
        : InstallationFinding(
          "locale", .note, "\(locale ?? "not set"): text is ASCII only",
          remedy: .useUTF8))
    return findings
  }
}
