/// Numbers of bytes for people.
package enum ByteCount {
  /// Returns a number with one digit behind the point, in units of 1024: `1.2 MiB`.
  package static func text(_ bytes: Int64) -> String {
    guard bytes >= 1024 else { return "\(max(bytes, 0)) B" }
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB"]
    var unit = 0
    var divisor: Int64 = 1024
    // Rounded once, by the unit that is shown: what would be 1024.0 is 1.0 of the next.
    func tenths() -> Int64 { Int64((Double(bytes) / Double(divisor) * 10).rounded()) }
    while unit + 1 < units.count, tenths() >= 10_240 {
      divisor *= 1024
      unit += 1
    }
    return "\(tenths() / 10).\(tenths() % 10) \(units[unit])"
  }
}
