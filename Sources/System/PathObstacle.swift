/// What keeps a path from being reached, and a file from being created there.
package enum PathObstacle: Sendable, Hashable, CustomStringConvertible {
  /// A file in place of a folder.
  case file(String)
  /// A symbolic link without a target.
  case link(String)
  /// A folder that may not be entered, and whether it belongs to the user of this process.
  case closed(String, isOwn: Bool)
  /// A part of the path that the system does not find for another reason, with the error number.
  case refusal(String, code: Int32)

  /// Finds the obstacle on the way to a path. Returns `nil` if the path exists, or if only it and
  /// folders above it are missing.
  ///
  /// - Parameter isFolder: Whether a file at the path itself is an obstacle, too.
  package init?(to path: String, isFolder: Bool = false) {
    var part = path
    // The last part that was not found, in the folder `part`.
    var missing: (part: String, code: Int32)?
    while !part.isEmpty {
      var info = FileInfo(part)
      let code = errno
      // Another process may make a file after the first look, so this need not be a link.
      if info == nil { info = FileInfo(part, followsLink: false) }
      guard let info else {
        missing = (part, code)
        let folder = PathComponents(part).folder
        guard folder != part else { break }
        part = folder
        continue
      }
      if info.isLink {
        self = [ENOENT, ENOTDIR].contains(code) ? .link(part) : .refusal(part, code: code)
      } else if !info.isFolder, part != path || isFolder {
        self = .file(part)
      } else if let missing, ![ENOENT, ENOTDIR].contains(missing.code) {
        self =
          missing.code == EACCES
          ? .closed(part, isOwn: info.owner == geteuid())
          : .refusal(missing.part, code: missing.code)
      } else {
        return nil
      }
      return
    }
    return nil
  }

  /// A text with the obstacle, for the end of a message.
  package var description: String {
    switch self {
    case .file(let path): "'\(path)' is a file, not a folder"
    case .link(let path): "'\(path)' is a symbolic link that leads nowhere"
    case .closed(let path, _): "'\(path)' cannot be entered: \(SystemError.text(of: EACCES))"
    case .refusal(let path, let code):
      "'\(path)' cannot be examined: \(SystemError.text(of: code))"
    }
  }
}
