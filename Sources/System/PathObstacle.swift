/// What keeps a path from being reached, and a file from being created there.
package enum PathObstacle: Sendable, Hashable, CustomStringConvertible {
  /// A file in place of a folder.
  case file(String)
  /// A symbolic link without a target.
  case link(String)
  /// A folder or link through which the system leads nowhere, with the error number.
  case refusal(String, code: Int32)

  /// Finds the obstacle on the way to a path. Returns `nil` if the path exists, or if only it and
  /// folders above it are missing.
  ///
  /// - Parameter isFolder: Whether a file at the path itself is an obstacle, too.
  package init?(to path: String, isFolder: Bool = false) {
    var part = path
    var code: Int32 = 0
    while !part.isEmpty {
      if let info = FileInfo(part) {
        if !info.isFolder, part != path || isFolder {
          self = .file(part)
        } else if [0, ENOENT, ENOTDIR].contains(code) {
          return nil
        } else {
          self = .refusal(part, code: code)
        }
        return
      }
      code = errno
      if FileInfo(part, followsLink: false) != nil {
        self = [ENOENT, ENOTDIR].contains(code) ? .link(part) : .refusal(part, code: code)
        return
      }
      let folder = PathComponents(part).folder
      guard folder != part else { break }
      part = folder
    }
    return nil
  }

  /// A text with the obstacle, for the end of a message.
  package var description: String {
    switch self {
    case .file(let path): "'\(path)' is a file, not a folder"
    case .link(let path): "'\(path)' is a symbolic link that leads nowhere"
    case .refusal(let path, let code):
      "'\(path)' cannot be entered: \(SystemError.text(of: code))"
    }
  }
}
