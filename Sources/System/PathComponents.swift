/// The folder of a path and its last part.
package struct PathComponents: Sendable, Hashable {
  /// The folder, or `.` if the path has none.
  package let folder: String
  /// The last part, which is empty if the path ends with a slash.
  package let name: String

  /// - Parameter ignoresTrailingSlashes: Whether to treat `a/b/` as `a/b`.
  package init(_ path: String, ignoresTrailingSlashes: Bool = false) {
    var path = path[...]
    if ignoresTrailingSlashes {
      while path.utf8.count > 1, path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    }
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      (folder, name) = (".", String(path))
      return
    }
    folder = slash == path.startIndex ? "/" : String(path[..<slash])
    name = String(path[path.utf8.index(after: slash)...])
  }

  /// Returns the path of a name in a folder.
  package static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }

  /// Returns the path, from the working folder if it is relative. It stays relative if the working
  /// folder is not known.
  package static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let buffer = getcwd(nil, 0) else { return path }
    defer { free(buffer) }
    return join(String(cString: buffer), path)
  }
}
