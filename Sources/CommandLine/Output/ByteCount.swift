/// Numbers of bytes for people.
package enum ByteCount {
  /// Returns a number with one digit behind the point, in units of 1024: `1.2 MiB`.
  package static func text(_ bytes: Int64) -> String {
    guard bytes >= 1024 else { return "\(max(bytes, 0)) B" }
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB"]
    var unit = 0
    var divisor: Int64 = 1024
    while unit + 1 < units.count, bytes / divisor >= 1024 {
      divisor *= 1024
      unit += 1
    }
    // Rounded once, by the unit that is shown.
    let tenths = Int64((Double(bytes) / Double(divisor) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}
