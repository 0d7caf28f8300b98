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
        return fileInPlaceOfFolder(subject, path)
          ?? InstallationFinding(subject, "\(path), not there yet")
      }
      let size = info.isFolder ? "" : ", \(info.size) bytes"
      return finding(subject, path, info, also: size)
    }
  }

  private var keychain: InstallationFinding {
    guard let info = FileInfo(paths.keychain) else {
      return fileInPlaceOfFolder("keychain", paths.keychain)
        ?? InstallationFinding(
          "keychain", .note, "\(paths.keychain), not there yet", remedy: .createKeychain)
    }
    return finding("keychain", paths.keychain, info, also: ", \(info.size) bytes")
  }

  /// Returns the problem of a path that leads through a file, so that nothing can be created there,
  /// or `nil` if it does not.
  private func fileInPlaceOfFolder(_ subject: String, _ path: String) -> InstallationFinding? {
    PathComponents.file(inPlaceOf: PathComponents(path).folder).map { file in
      InstallationFinding(
        subject, .problem, "\(path) cannot be made: '\(file)' is a file, not a folder",
        remedy: .other("move the file away"))
    }
  }

  /// Returns a problem if others can change the file, or if they can read it although it is
  /// private.
  private func finding(
    _ subject: String, _ path: String, _ info: FileInfo, also text: String
  ) -> InstallationFinding {
    let mode = String(info.mode & 0o777, radix: 8)
    if info.owner != geteuid() {
      return InstallationFinding(
        subject, .problem, "\(path) belongs to another user",
        remedy: .runAsOwner)
    }
    let isOpen = [paths.configuration, paths.initScript].contains(path)
    guard info.mode & (isOpen ? 0o022 : 0o077) == 0 else {
      return InstallationFinding(
        subject, .problem, "\(path) may be used by others (mode \(mode))",
        remedy: .changeMode(path: path, mode: info.isFolder ? 0o700 : 0o600))
    }
    if let problem = problem(with: path, info) {
      return InstallationFinding(
        subject, .problem, "\(path) \(problem)",
        remedy: .other("move the file away, or put a backup in its place"))
    }
    return InstallationFinding(subject, path + text)
  }

  /// What is wrong with the first bytes of the database or of the keychain, or `nil`.
  private func problem(with path: String, _ info: FileInfo) -> String? {
    let magic: [UInt8]
    switch path {
    // SQLite creates its file before it writes to it.
    case paths.mainDatabase where info.size > 0 && !isDatabaseOpen:
      magic = Array("SQLite format 3\0".utf8)
    case paths.keychain: magic = KeychainFormat.magic
    default: return nil
    }
    let name = path == paths.keychain ? "keychain" : "database"
    guard info.isRegular else { return "is not a \(name)" }
    let files = FileSystem()
    do throws(SystemError) {
      let file = try files.open(path, O_RDONLY)
      return try files.read(file, limit: magic.count) == magic ? nil : "is not a \(name)"
    } catch {
      return "cannot be read: \(error)"
    }
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
