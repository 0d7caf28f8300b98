extension String {
  /// The physical lines, at least one. A line ends at `\n` or `\r\n` and at nothing else. What
  /// Unicode counts as a newline, such as U+2028 or a form feed, is a character of the line.
  /// Linear.
  package var physicalLines: [Substring] {
    utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
      Substring($0).withoutReturn
    }
  }

  /// The first physical line. Linear in it.
  package var firstPhysicalLine: Substring {
    Substring(utf8.prefix { $0 != UInt8(ascii: "\n") }).withoutReturn
  }
}

extension Substring {
  fileprivate var withoutReturn: Substring {
    utf8.last == UInt8(ascii: "\r") ? Substring(utf8.dropLast()) : self
  }
}
