/// The path of a file that a line names with `@`.
package enum ItemPath {
  /// Returns the path. `-` is standard input.
  package static func path(of name: String) -> String { name == "-" ? "/dev/stdin" : name }
}
