import SwiftBoardSystem
import Synchronization

/// The files of the recording that runs. Writing to one from a line would destroy it.
final class RunningRecording: Sendable {
  private let files = Mutex<OwnFiles?>(nil)

  func set(_ path: String?) {
    let files = path.map { OwnFiles(recording: $0, title: "recording that runs") }
    self.files.withLock { $0 = files }
  }

  func title(of path: String) -> String? {
    files.withLock { $0 }?.title(of: path, isRecording: true)
  }
}

/// The board's own files. Writing to one from a line would destroy it.
struct OwnFiles: Sendable {
  private struct Family: Sendable {
    let path: String
    /// The description of the file, for messages.
    let title: String
    /// Returns whether a name next to `base` belongs to it: locks, logs, temporary and rotated
    /// files.
    let includes: @Sendable (_ name: String, _ base: String) -> Bool

    static func plain(_ path: String, _ title: String) -> Family {
      Family(path: path, title: title) { $0 == $1 }
    }

    static func rotated(_ path: String, _ title: String) -> Family {
      Family(path: path, title: title) { name, base in
        guard name.hasPrefix(base + ".") else { return name == base }
        let ending = name.dropFirst(base.count + 1)
        return ending == "next" || UInt32(ending) != nil
      }
    }

    static func database(_ path: String, _ title: String) -> Family {
      Family(path: path, title: title) { name, base in
        name == base || ["-wal", "-shm", "-journal"].contains { name == base + $0 }
          || [".damaged", ".before-", ".swiftboard-"].contains { name.hasPrefix(base + $0) }
      }
    }
  }

  private let families: [Family]
  private let sessions: [String]

  /// - Parameters:
  ///   - homes: The files of the home that is used, and of others that are none of a line's.
  ///   - secrets: The files that unlock sources read. One that does not exist yet can be created,
  ///     such as a key file for a new keychain.
  init(_ homes: [BoardPaths], secrets: [String] = []) {
    families =
      homes.flatMap(Self.families(of:))
      + secrets.filter { ResolvedFile.mayBeRegular($0) }.map { path in
        Family(path: path, title: "unlock source") { name, base in
          name == base && FileInfo(path) != nil
        }
      }
    sessions = homes.map(\.sessions)
  }

  private static func families(of paths: BoardPaths) -> [Family] {
    [
      Family(path: paths.keychain, title: "keychain") { name, base in
        name == base || name == base + ".lock"
          || (name.hasPrefix(".\(base).") && name.hasSuffix(".tmp"))
      },
      .database(paths.mainDatabase, "database"), .database(paths.cacheDatabase, "cache"),
      .rotated(paths.log, "log"), .rotated(paths.analytics, "analytics"),
      .plain(paths.history, "history"), .plain(paths.configuration, "configuration"),
      .plain(paths.initScript, "start script"),
    ]
  }

  /// The files of a recording.
  init(recording path: String, title: String) {
    families = [.rotated(path, title)]
    sessions = []
  }

  /// Returns the description of the board's own file that a write to `path` would affect, or `nil`
  /// if there is none.
  ///
  /// Existing files are compared by device and inode. Names of missing files are compared by
  /// folder, ignoring case. Makes a few dozen system calls.
  ///
  /// - Parameter isRecording: Whether the file is a recording, which may be added to the others.
  func title(of path: String, isRecording: Bool) -> String? {
    let target = ResolvedFile(path)
    // Most of the files are in one folder.
    var folders: [String: ResolvedFile] = [:]
    for family in families where isPart(target, of: family, &folders) { return family.title }
    guard !isRecording, sessions.contains(where: { isSession(target, in: $0) }) else { return nil }
    return "recordings"
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
    // The file is elsewhere, and its related files are next to it.
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

  private func isSession(_ target: ResolvedFile, in sessions: String) -> Bool {
    let folder = ResolvedFile(sessions)
    let (inner, outer) = (target.path.lowercased(), folder.path.lowercased())
    if inner == outer || inner.hasPrefix(outer + "/") { return true }
    guard let own = folder.id else { return false }
    if target.foldersAbove.contains(where: { FileID($0) == own }) { return true }
    guard target.hasSeveralNames, let id = target.id else { return false }
    return ResolvedFile.names(in: folder.path).contains { FileID("\(folder.path)/\($0)") == id }
  }
}

/// The target of a path after resolving symbolic links, which need not exist.
struct ResolvedFile: Sendable {
  /// The absolute path. Links are resolved as far as the folders exist.
  let path: String
  let folder: String
  let name: String
  /// The identity of the folder, or `nil` if it does not exist.
  private let folderID: FileID?
  /// The identity of the file, or `nil` if it does not exist.
  let id: FileID?
  /// Whether the file may also have a name in another folder.
  let hasSeveralNames: Bool

  init(_ path: String) {
    self.path = ResolvedFile.resolved(ResolvedFile.followed(path))
    let parts = PathComponents(self.path, ignoresTrailingSlashes: true)
    (folder, name) = (parts.folder, parts.name)
    folderID = FileID(folder)
    // This uses the path as given, because `/dev/stdout` and the like may refer to files without a
    // path.
    let info = FileInfo(path)
    id = info?.id
    hasSeveralNames = info.map { $0.names > 1 } ?? false
  }

  /// Returns whether the file is directly in that folder.
  func isIn(_ other: ResolvedFile) -> Bool {
    guard let id = folderID else { return folder.lowercased() == other.path.lowercased() }
    return id == other.id
  }

  /// The folders that contain the file, up to the root. Some of them may not exist.
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

  /// Returns the path that the symbolic links at the end of `path` lead to, even if nothing exists
  /// there.
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

  /// Returns the destination of a symbolic link as written, or `nil` if it is not a link.
  static func target(ofLink path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the path to which a link at `path` leads.
  static func follow(_ link: String, from path: String) -> String {
    guard !link.hasPrefix("/") else { return link }
    return PathComponents.join(PathComponents(path, ignoresTrailingSlashes: true).folder, link)
  }

  /// Returns whether it is a regular file or does not exist. Other files are not read as secrets.
  static func mayBeRegular(_ path: String) -> Bool {
    FileInfo(path)?.isRegular ?? true
  }

  /// Returns the names in a folder, or none if it cannot be read.
  static func names(in path: String) -> [String] {
    (try? FileSystem().names(in: path)) ?? []
  }
}
