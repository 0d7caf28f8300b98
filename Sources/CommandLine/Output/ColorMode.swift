/// The use of colors. `auto` uses them at a terminal that supports them, unless `NO_COLOR` is
/// set.
package enum ColorMode: String, Sendable, Hashable, CaseIterable, Codable {
  case auto, always, never
}
