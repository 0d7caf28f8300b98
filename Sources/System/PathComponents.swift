/// The folder of a path and its last part.
package struct PathComponents: Sendable, Hashable {
  /// `.` where the path has no folder.
  package let folder: String
  /// Empty if the path ends with a slash.
  package let name: String

  /// - Parameter ignoresTrailingSlashes: Takes `a/b/` for `a/b`.
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

  /// A path in a folder.
  package static func join(_ folder: String, _ name: String) -> String {
    folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
  }
}
