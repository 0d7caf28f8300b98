/// Numbers of bytes for tables.
enum ByteCount {
  /// With one digit behind the point, in units of 1024: `1.2 MiB`.
  static func text(_ bytes: Int64) -> String {
    guard bytes >= 1024 else { return "\(max(bytes, 0)) B" }
    var tenths = bytes
    var unit = 0
    let units = ["KiB", "MiB", "GiB", "TiB", "PiB"]
    // Rounded once, by the unit that is shown.
    var divisor: Int64 = 1024
    while unit + 1 < units.count, bytes / divisor >= 1024 {
      divisor *= 1024
      unit += 1
    }
    tenths = Int64((Double(bytes) / Double(divisor) * 10).rounded())
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }

  /// How much of something has come, in per cent.
  static func done(_ left: Int64, of size: Int64) -> String {
    guard size > 0 else { return "" }
    return "\(Int((1 - Double(min(max(left, 0), size)) / Double(size)) * 100))%"
  }

  /// A duration as hours, minutes and seconds: `0:13:15`.
  static func time(_ seconds: Int64) -> String {
    func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
  }
}
