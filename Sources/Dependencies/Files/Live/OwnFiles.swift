import SwiftBoardSystem

/// The files that the board keeps for itself. A line that names one as a target would destroy it.
struct OwnFiles: Sendable {
  private struct Family: Sendable {
    let path: String
    /// What it is, for messages.
    let title: String
    /// Whether a name beside `base` belongs to it too: locks, logs, temporary and rotated files.
    let includes: @Sendable (_ name: String, _ base: String) -> Bool
  }

  private let families: [Family]
  private let sessions: String

  /// - Parameter secrets: The files that unlock sources read.
  init(_ paths: BoardPaths, secrets: [String] = []) {
    func plain(_ path: String, _ title: String) -> Family {
      Family(path: path, title: title) { $0 == $1 }
    }
    func rotated(_ path: String, _ title: String) -> Family {
      Family(path: path, title: title) { name, base in
        name == base
          || (name.hasPrefix(base + ".") && UInt32(name.dropFirst(base.count + 1)) != nil)
      }
    }
    func database(_ path: String, _ title: String) -> Family {
      Family(path: path, title: title) { name, base in
        name == base || ["-wal", "-shm", "-journal"].contains { name == base + $0 }
          || [".damaged", ".before-", ".new-"].contains { name.hasPrefix(base + $0) }
      }
    }
    families =
      [
        Family(path: paths.keychain, title: "keychain") { name, base in
          name == base || name == base + ".lock"
            || (name.hasPrefix(".\(base).") && name.hasSuffix(".tmp"))
        },
        database(paths.mainDatabase, "database"), database(paths.cacheDatabase, "cache"),
        rotated(paths.log, "log"), rotated(paths.analytics, "analytics"),
        plain(paths.history, "history"), plain(paths.configuration, "configuration"),
        plain(paths.initScript, "start script"),
      ]
      + secrets.filter { ResolvedFile.mayBeRegular($0) }.map { plain($0, "unlock source") }
    sessions = paths.sessions
  }

  /// What the board keeps where a write to `path` would go; `nil` if that is nothing of its own.
  /// Files that are there are compared by device and inode, and names of files that are not there
  /// yet by their folder, without regard to case. A few dozen system calls.
  ///
  /// - Parameter isRecording: A new recording may be put among the others.
  func title(of path: String, isRecording: Bool) -> String? {
    let target = ResolvedFile(path)
    // Most of them are in one folder.
    var folders: [String: ResolvedFile] = [:]
    for family in families where isPart(target, of: family, &folders) { return family.title }
    return !isRecording && isSession(target) ? "recordings" : nil
  }

  private func isPart(
    _ target: ResolvedFile, of family: Family, _ folders: inout [String: ResolvedFile]
  ) -> Bool {
    let parts = PathComponents(family.path, ignoresTrailingSlashes: true)
    let file = folders[parts.folder] ?? ResolvedFile(parts.folder)
    folders[parts.folder] = file
    if let id = target.id, id == FileID(family.path) { return true }
    if isPart(target, of: family, in: file, parts.name) { return true }
    guard let info = FileInfo(family.path, followsLink: false), info.isLink else { return false }
    // The file is elsewhere, and what belongs to it is beside it.
    let own = ResolvedFile(family.path)
    return isPart(target, of: family, in: ResolvedFile(own.folder), own.name)
  }

  private func isPart(
    _ target: ResolvedFile, of family: Family, in file: ResolvedFile, _ base: String
  ) -> Bool {
    if target.isIn(file), family.includes(target.name.lowercased(), base.lowercased()) {
      return true
    }
    guard target.hasSeveralNames, let id = target.id else { return false }
    return ResolvedFile.names(in: file.path).contains { name in
      family.includes(name, base) && FileID("\(file.path)/\(name)") == id
    }
  }

  private func isSession(_ target: ResolvedFile) -> Bool {
    let folder = ResolvedFile(sessions)
    let (inner, outer) = (target.path.lowercased(), folder.path.lowercased())
    if inner == outer || inner.hasPrefix(outer + "/") { return true }
    guard let own = folder.id else { return false }
    if target.foldersAbove.contains(where: { FileID($0) == own }) { return true }
    guard target.hasSeveralNames, let id = target.id else { return false }
    return ResolvedFile.names(in: folder.path).contains { FileID("\(folder.path)/\($0)") == id }
  }
}

/// Where a path leads, through symbolic links, also where nothing is there yet.
struct ResolvedFile: Sendable {
  /// Absolute; all links are resolved, as far as the folders are there.
  let path: String
  let folder: String
  let name: String
  /// `nil` if the folder does not exist.
  private let folderID: FileID?
  /// `nil` if nothing is there.
  let id: FileID?
  /// Whether the file may have a name in another folder, too.
  let hasSeveralNames: Bool

  init(_ path: String) {
    self.path = ResolvedFile.resolved(ResolvedFile.followed(path))
    let parts = PathComponents(self.path, ignoresTrailingSlashes: true)
    (folder, name) = (parts.folder, parts.name)
    folderID = FileID(folder)
    // Of the path as given: `/dev/stdout` and the like refer to files without a path.
    let info = FileInfo(path)
    id = info?.id
    hasSeveralNames = info.map { $0.names > 1 } ?? false
  }

  /// Whether the file is straight in that folder.
  func isIn(_ other: ResolvedFile) -> Bool {
    guard let id = folderID else { return folder.lowercased() == other.path.lowercased() }
    return id == other.id
  }

  /// The folders in which the file is, up to the root. Some of them may not be there.
  var foldersAbove: [String] {
    var folders = [folder]
    while let last = folders.last, last.utf8.count > 1 {
      let above = PathComponents(last, ignoresTrailingSlashes: true).folder
      if above == last || above == "." { break }
      folders.append(above)
    }
    return folders
  }

  private static func resolved(_ path: String) -> String {
    if let resolved = try? FileSystem().resolve(path) { return resolved }
    let parts = PathComponents(path, ignoresTrailingSlashes: true)
    guard parts.folder != path else { return path }
    let above = resolved(parts.folder)
    switch parts.name {
    case ".": return above
    case "..": return PathComponents(above, ignoresTrailingSlashes: true).folder
    default: return PathComponents.join(above, parts.name)
    }
  }

  /// The path that the symbolic links at its end resolve to, of which the last may lead to nothing;
  /// the path itself if they lead nowhere.
  static func followed(_ path: String) -> String {
    var path = path
    for _ in 0..<40 {
      do throws(SystemError) { return try FileSystem().resolve(path) } catch {
        guard error.code == ENOENT, let link = target(ofLink: path) else { return path }
        path = follow(link, from: path)
      }
    }
    return path
  }

  /// Where a symbolic link leads, as it is written there; `nil` for what is none.
  static func target(ofLink path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The path to which a link at `path` leads.
  static func follow(_ link: String, from path: String) -> String {
    guard !link.hasPrefix("/") else { return link }
    return PathComponents.join(PathComponents(path, ignoresTrailingSlashes: true).folder, link)
  }

  /// Whether it is a regular file, or nothing yet. Whatever else is there is read as no secret.
  static func mayBeRegular(_ path: String) -> Bool {
    FileInfo(path)?.isRegular ?? true
  }

  /// What is in a folder; nothing where it cannot be read.
  static func names(in path: String) -> [String] {
    (try? FileSystem().names(in: path)) ?? []
  }
}
