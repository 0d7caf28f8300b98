import CSQLite
import CSodium
import SwiftBoardSystem

/// Inspects the libraries, files and variables that the live services use. Changes and creates
/// nothing, opens no keychain with a secret, and reads no descriptor.
struct LiveInstallation: Sendable {
  let paths: BoardPaths
  let variables: [String: String]
  let unlockSources: UnlockSources

  func findings() -> [InstallationFinding] {
    var findings = libraries
    findings += [
      ("configuration", paths.configuration), ("init script", paths.initScript),
      ("database", paths.mainDatabase), ("cache", paths.cacheDatabase), ("log", paths.log),
      ("analytics", paths.analytics), ("history", paths.history), ("recordings", paths.sessions),
    ].flatMap { file($0, $1) }
    return findings + folders + keychain + unlockSource + certificates + proxies + settings
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
      findings.append(loaded("libcurl", Self.brief(library.version), built.curl))
    case .failure(let error):
      findings.append(
        InstallationFinding(
          "libcurl", .problem, error.message, remedy: .installHTTP))
    }
    return findings
  }

  /// Returns the names and versions of libcurl and of its libraries for TLS and HTTP/2. There are a
  /// dozen more, and all of them make a row of 200 columns.
  static func brief(_ version: String) -> String {
    let names = version.split(separator: " ")
    return (names.prefix(2) + names.dropFirst(2).filter { $0.hasPrefix("nghttp2/") })
      .joined(separator: " ")
  }

  private func file(_ subject: String, _ path: String) -> [InstallationFinding] {
    guard let info = FileInfo(path) else {
      return [
        obstacle(subject, path) ?? InstallationFinding(subject, "\(path), not there yet")
      ]
    }
    return examine(subject, path, info)
  }

  private var keychain: [InstallationFinding] {
    guard let info = FileInfo(paths.keychain) else {
      return [
        obstacle("keychain", paths.keychain)
          ?? InstallationFinding(
            "keychain", .note, "\(paths.keychain), not there yet", remedy: .createKeychain)
      ]
    }
    return examine("keychain", paths.keychain, info).map { found in
      guard found.state == .good, !hasRollbackMarks else { return found }
      return InstallationFinding(
        "keychain", .note,
        "\(found.text); whether an older file was put back cannot be told without the database")
    }
  }

  /// Whether the database, which has the records of the last saves, can be read if it exists.
  private var hasRollbackMarks: Bool {
    guard let info = FileInfo(paths.mainDatabase) else {
      return PathObstacle(to: paths.mainDatabase) == nil
    }
    let file = DatabaseFile(path: paths.mainDatabase, schema: .main)
    return info.isRegular && (try? file.inspect(limit: 0)) != nil
  }

  /// Returns the problem of a path that cannot be reached, and at which nothing can be created, or
  /// `nil` if there is none.
  private func obstacle(_ subject: String, _ path: String) -> InstallationFinding? {
    guard let obstacle = PathObstacle(to: path) else { return nil }
    let remedy: InstallationFinding.Remedy =
      switch obstacle {
      case .file: .other("move the file away")
      case .link: .other("remove the link, or create what it points to")
      case .closed(let folder, isOwn: true): .changeMode(path: folder, mode: 0o700)
      case .closed: .runAsOwner
      case .refusal: .otherFolder
      }
    let text =
      if case .link(path) = obstacle { "\(path) is a symbolic link that leads nowhere" } else {
        "\(path) cannot be reached: \(obstacle)"
      }
    // Requests work without a cache.
    let state: InstallationFinding.State =
      switch obstacle {
      case .file, .link(path): .problem
      case .link, .closed, .refusal: path == paths.cacheDatabase ? .note : .problem
      }
    return InstallationFinding(subject, state, text, remedy: remedy)
  }

  /// Returns the problems of a file: if it is of another kind, if others can change it, if they can
  /// read it although it is private, if its owner cannot use it, or if its content is not its own.
  private func examine(
    _ subject: String, _ path: String, _ info: FileInfo
  ) -> [InstallationFinding] {
    // A configuration for all users of the machine belongs to root.
    let isOpen = [paths.configuration, paths.initScript].contains(path)
    guard info.owner == geteuid() || isOpen && info.owner == 0 else {
      return [
        InstallationFinding(
          subject, .problem, "\(path) belongs to another user", remedy: .runAsOwner)
      ]
    }
    if let problem = kindProblem(of: path, info) {
      return [
        InstallationFinding(
          subject, .problem, "\(path) \(problem)", remedy: .other("move it away"))
      ]
    }
    let mode = modeProblem(subject, path, info, isOpen: isOpen)
    // A save replaces the keychain by another file.
    let isOnlyRead = isOpen || path == paths.keychain
    let wanted = isOnlyRead ? R_OK : R_OK | W_OK
    let text = path + (info.isFolder ? "" : ", \(info.size) bytes")
    let use =
      accessProblem(subject, path, info, wanted, isCache: path == paths.cacheDatabase)
      ?? content(subject, path, text)
    let found = [mode, use].compactMap(\.self)
    return found.isEmpty ? [InstallationFinding(subject, text)] : found
  }

  /// Returns the problem of a file or folder that others can change, or that they can read although
  /// it is private, or `nil`.
  private func modeProblem(
    _ subject: String, _ path: String, _ info: FileInfo, isOpen: Bool
  ) -> InstallationFinding? {
    guard info.mode & (isOpen ? 0o022 : 0o077) != 0 else { return nil }
    let mode = String(info.mode & 0o777, radix: 8)
    return InstallationFinding(
      subject, .problem, "\(path) may be used by others (mode \(mode))",
      remedy: .changeMode(path: path, mode: info.isFolder ? 0o700 : 0o600))
  }

  /// Returns the problem of a file or folder that may not be read or written to, or `nil`. Requests
  /// work without a cache.
  private func accessProblem(
    _ subject: String, _ path: String, _ info: FileInfo, _ wanted: Int32, isCache: Bool
  ) -> InstallationFinding? {
    guard access(path, info.isFolder ? wanted | X_OK : wanted) != 0 else { return nil }
    let code = errno
    let verb = access(path, R_OK) == 0 ? "written to" : "read"
    return InstallationFinding(
      subject, isCache ? .note : .problem,
      "\(path) cannot be \(verb): \(SystemError.text(of: code))",
      remedy: code == EACCES && info.owner == geteuid()
        ? .changeMode(path: path, mode: info.isFolder ? 0o700 : 0o600) : .otherFolder)
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
    return [paths.log, paths.analytics].contains(path) && isLink
      ? "is a symbolic link, and nothing is written through one" : nil
  }

  /// Returns what the content of a database or of the keychain shows, or `nil` if it is good.
  private func content(
    _ subject: String, _ path: String, _ text: String
  ) -> InstallationFinding? {
    switch path {
    case paths.mainDatabase: database(subject, path, .main, text)
    case paths.cacheDatabase: database(subject, path, .cache, text)
    case paths.keychain: keychainProblem(subject, path)
    default: nil
    }
  }

  /// Damage of a file that may be lost is a note: the next call that needs it begins a new file.
  private func database(
    _ subject: String, _ path: String, _ schema: DatabaseSchema, _ text: String
  ) -> InstallationFinding? {
    do throws(PersistenceError) {
      switch try DatabaseFile(path: path, schema: schema).inspect() {
      case .whole: return nil
      case .notChecked:
        return InstallationFinding(
          subject, .good, "\(text), content not checked", remedy: .checkDatabase)
      case .doubtful:
        return InstallationFinding(
          subject, .note, "\(text), damaged unless its log corrects that", remedy: .checkDatabase)
      }
    } catch {
      let isCache = schema.whenDamaged == .startAnew
      let backup =
        "move the file away (with the -wal and -shm beside it); a backup can take its place"
      let advice =
        switch error.kind {
        case .newerSchema where isCache: "move it away: nothing in it is unique"
        case .corrupted, .notADatabase: backup
        case .foreignDatabase: "move the file away"
        case .foreignLog:
          "if the file was restored, end all boards and move the -wal and -shm beside it away; if "
            + "not, keep them: they have the last changes"
        case .newerSchema: "install the version that made it"
        default: "check the disk and the permissions of the file"
        }
      let startsAnew =
        isCache && [.corrupted, .notADatabase].contains(error.kind)
      return startsAnew
        ? InstallationFinding(
          subject, .note, error.message,
          remedy: .other("the next command that needs it moves it away and begins a new one"))
        : InstallationFinding(subject, .problem, error.message, remedy: .other(advice))
    }
  }

  /// Returns the problem of what the keychain shows without a secret, or `nil`.
  private func keychainProblem(_ subject: String, _ path: String) -> InstallationFinding? {
    do throws(KeychainError) {
      let file = KeychainFile(path: path, system: FileSystem(), lockTimeout: .zero)
      _ = try KeychainHeader(parsing: file.read().bytes)
      return nil
    } catch {
      let advice =
        switch error.kind {
        case .unsupportedVersion:
          "update the program if it is older than the keychain, or else restore a backup"
        case .unsupportedFlags: "install the version that made it"
        case .insecurePath: "put the file itself in the place of the link"
        case .io: "check the disk and the permissions of the file"
        default: "move the file away, or put a backup in its place"
        }
      return InstallationFinding(
        subject, .problem, "\(path): \(error.message)", remedy: .other(advice))
    }
  }

  /// The folders of the data, the state and the cache, or those in which they would be made, and
  /// the space on their disks.
  private var folders: [InstallationFinding] {
    var known: Set<String> = []
    var findings: [InstallationFinding] = []
    for path in [paths.mainDatabase, paths.log, paths.cacheDatabase] {
      let own = PathComponents(path).folder
      var folder = own
      while FileInfo(folder)?.isFolder != true, folder != PathComponents(folder).folder {
        folder = PathComponents(folder).folder
      }
      guard known.insert(folder).inserted, let info = FileInfo(folder) else { continue }
      findings.append(
        disk(folder, info, isOwn: folder == own, isCache: path == paths.cacheDatabase))
    }
    // One line is enough for disks without a problem.
    return findings.filter { $0.state != .good } + findings.filter { $0.state == .good }.prefix(1)
  }

  /// - Parameters:
  ///   - isOwn: Whether the board's files are in the folder itself.
  ///   - isCache: Whether only the cache is there.
  private func disk(
    _ folder: String, _ info: FileInfo, isOwn: Bool, isCache: Bool
  ) -> InstallationFinding {
    let subject = "disk"
    if let problem = accessProblem(subject, folder, info, W_OK, isCache: isCache) { return problem }
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else {
      return InstallationFinding(subject, .problem, "\(folder): \(SystemError.last("statvfs"))")
    }
    let free = (UInt64(status.f_bavail) * UInt64(status.f_frsize)) >> 20
    guard free >= 64 else {
      return InstallationFinding(
        subject, .problem, "\(free) MiB free at \(folder)", remedy: .freeSpace)
    }
    // In a folder with the sticky bit, such as /tmp, others cannot replace a file.
    let isShared = info.permissions & 0o022 != 0 && info.permissions & 0o1000 == 0
    guard isOwn, isShared, info.owner == geteuid() else {
      return InstallationFinding(subject, "\(free) MiB free at \(folder)")
    }
    return InstallationFinding(
      subject, .note,
      "others may replace files in \(folder) (mode \(String(info.permissions, radix: 8)))",
      remedy: .changeMode(path: folder, mode: 0o700))
  }

  /// The source of the keychain's secret, if a variable names one.
  private var unlockSource: [InstallationFinding] {
    let subject = "unlock source"
    do throws(KeychainError) {
      guard let name = try unlockSources.check() else { return [] }
      guard !unlockSources.hasSecret else { return [InstallationFinding(subject, name)] }
      return [
        InstallationFinding(
          subject, .note, "\(name) was read, and can be read once",
          remedy: .other("a file unlocks a keychain more than once"))
      ]
    } catch {
      return [
        InstallationFinding(
          subject, .problem, error.message,
          remedy: .other("correct the file or the variable, or unset the variable"))
      ]
    }
  }

  /// The authorities that variables name for requests.
  private var certificates: [InstallationFinding] {
    let subject = "certificates"
    var findings: [InstallationFinding] = []
    if let (name, path) = firstSet(of: LiveAPIClient.Configuration.fileVariables) {
      let problem = certificateProblem(path)
      findings.append(
        InstallationFinding(
          subject, problem == nil ? .good : .problem,
          "\(path) (\(name))" + (problem.map { " \($0)" } ?? ""),
          remedy: problem == nil
            ? nil : .other("let \(name) name a readable PEM file, or unset the variable")))
    }
    if let (name, path) = firstSet(of: [LiveAPIClient.Configuration.folderVariable]) {
      let isThere = path.split(separator: ":").contains { FileInfo(String($0))?.isFolder == true }
      findings.append(
        InstallationFinding(
          subject, isThere ? .good : .note,
          "\(path) (\(name))" + (isThere ? "" : " is not a folder"),
          remedy: isThere ? nil : .other("let \(name) name a folder, or unset the variable")))
    }
    return findings
  }

  /// Returns why requests cannot use a file of authorities, or `nil`.
  private func certificateProblem(_ path: String) -> String? {
    do throws(SystemError) {
      // What a pipe has would be gone.
      if FileInfo(path)?.isRegular == false { return "is not a file" }
      let files = FileSystem()
      let file = try files.open(path, O_RDONLY)
      let bytes = try files.read(file, limit: 1 << 20)
      return bytes.firstRange(of: Array("-----BEGIN ".utf8)) == nil
        ? "has no certificate in the form PEM" : nil
    } catch {
      return "cannot be read: \(SystemError.text(of: error.code))"
    }
  }

  /// The names of the variables with proxies. Their values may contain passwords.
  private var proxies: [InstallationFinding] {
    let names = ProxySettings.variables.filter { variables[$0]?.isEmpty == false }
    let wrong = names.compactMap {
      UsedProxy(url: variables[$0] ?? "", variable: $0).addressError?.message
    }
    guard wrong.isEmpty else {
      return [
        InstallationFinding(
          "proxy", .problem, wrong.joined(separator: "; "),
          remedy: .other("write it as http://HOST:PORT, or unset the variable"))
      ]
    }
    if names.isEmpty, variables["HTTP_PROXY"]?.isEmpty == false {
      return [
        InstallationFinding(
          "proxy", .note, "HTTP_PROXY is not read",
          remedy: .other("requests take their proxy from http_proxy, in small letters"))
      ]
    }
    return names.isEmpty ? [] : [InstallationFinding("proxy", names.joined(separator: ", "))]
  }

  private func firstSet(of names: [String]) -> (name: String, value: String)? {
    for name in names {
      if let value = variables[name], !value.isEmpty { return (name, value) }
    }
    return nil
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
