#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Folders of the board's own files.
enum Folder {
  /// Makes the folder and those above it that are missing, for the owner only (0700). True when it is there afterwards;
  /// otherwise `errno` says why.
  static func create(_ path: String) -> Bool {
    if path.isEmpty || mkdir(path, 0o700) == 0 { return true }
    if errno == ENOENT {
      let parent = parent(of: path)
      guard parent != path, create(parent) else { return false }
      if mkdir(path, 0o700) == 0 { return true }
    }
    guard errno == EEXIST || errno == EISDIR else { return false }
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    if status.st_mode & S_IFMT == S_IFDIR { return true }
    errno = ENOTDIR
    return false
  }

  /// The path without its last part: `/a` for `/a/b`, `/` for `/a`, nothing for `a`.
  static func parent(of path: String) -> String {
    var path = Substring(path)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard let slash = path.lastIndex(of: "/") else { return "" }
    path = path[..<slash]
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path.isEmpty ? "/" : String(path)
  }
}
