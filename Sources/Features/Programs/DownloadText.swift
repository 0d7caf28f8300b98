/// Texts about what a program downloads.
enum DownloadText {
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
