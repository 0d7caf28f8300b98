extension IncompleteLine {
  /// Records a further physical line, and returns whether the whole text should be parsed again.
  ///
  /// Without this check, a value of n lines would be parsed n times. It returns `false` only for a
  /// line that leaves a construct open. Linear in `line`.
  public mutating func mightEnd(with line: String) -> Bool {
    lastLine += 1
    // A line editor returns several physical lines at once.
    if line.utf8.contains(UInt8(ascii: "\n")) { return true }
    if case .heredoc = reason { return endsHeredocs(with: line) }
    var line = line
    return line.withUTF8 { bytes in
      var scanner = ContinuationScanner(bytes, in: &reason, mayBeginComment: mayBeginComment)
      guard scanner.scan(), let open = scanner.openReason else { return true }
      reason = open
      mayBeginComment = scanner.mayBeginComment
      if let opened = scanner.openingColumn { (lineOffset, column) = (lastLine, opened) }
      return false
    }
  }

  /// Returns whether a physical line ends the last open heredoc.
  private mutating func endsHeredocs(with line: String) -> Bool {
    guard heredocs.first?.isEnded(by: line) == true else { return false }
    heredocs.removeFirst()
    guard let next = heredocs.first else { return true }
    (reason, lineOffset, column) = (.heredoc(next.tag), next.lineOffset, next.column)
    return false
  }
}

/// Follows an open construct through a physical line as `LineScanner` does, but only as far as
/// needed to find its end.
private struct ContinuationScanner {
  private enum Construct { case none, singleQuote, doubleQuote, bracket }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var index = 0
  private var construct = Construct.none
  private var brackets: [Character] = []
  private var isInString = false
  private var endsInBackslash = false
  /// The index of the byte that opened the construct, or `nil` if it was open before.
  private var opening: Int?
  /// See `LineScanner.unclosedReferenceEnd`.
  private var hasNoReferenceEnd = false
  /// Whether a `#` may begin a comment: nothing but blanks is before it in its command.
  private(set) var mayBeginComment: Bool

  /// Moves the open brackets out of `reason`, so that they are changed in place.
  init(
    _ bytes: UnsafeBufferPointer<UInt8>, in reason: inout IncompleteLine.Reason,
    mayBeginComment: Bool
  ) {
    self.bytes = bytes
    self.mayBeginComment = mayBeginComment
    switch reason {
    case .quote(let mark): construct = mark == "'" ? .singleQuote : .doubleQuote
    case .bracket(let open, let inString):
      (construct, brackets, isInString) = (.bracket, open, inString)
    case .heredoc, .backslash: break
    }
    reason = .backslash
  }

  /// The construct that is open after the line, or `nil` if there is none.
  var openReason: IncompleteLine.Reason? {
    switch construct {
    case .none: endsInBackslash ? .backslash : nil
    case .singleQuote: .quote("'")
    case .doubleQuote: .quote("\"")
    case .bracket: .bracket(open: brackets, inString: isInString)
    }
  }

  /// The column of the character that opened the construct in this line, from 1.
  var openingColumn: Int? {
    opening.map { String(decoding: bytes[..<$0], as: UTF8.self).count + 1 }
  }

  /// Scans to the end of the line. Returns false if only a parser can tell where it ends.
  mutating func scan() -> Bool {
    while index < bytes.count {
      let byte = bytes[index]
      switch construct {
      case .none:
        guard scanOutside(byte) else { return false }
      case .singleQuote:
        if byte == UInt8(ascii: "'") { close() }
        index += 1
      case .doubleQuote: scanQuoted(byte)
      case .bracket: scanBracket(byte)
      }
    }
    return true
  }

  private func peek(_ offset: Int) -> UInt8? {
    index + offset < bytes.count ? bytes[index + offset] : nil
  }

  /// Whether a word may begin here. The file of a redirection follows `>` without a blank.
  private var mayBeginWord: Bool {
    guard index > 0 else { return true }
    let before = Unicode.Scalar(bytes[index - 1])
    return LineScanner.isBlank(before) || before == ";" || before == ">"
  }

  private mutating func open(_ construct: Construct) {
    (self.construct, opening) = (construct, index)
    index += 1
  }

  private mutating func close() { (construct, opening) = (.none, nil) }

  private mutating func scanOutside(_ byte: UInt8) -> Bool {
    let isFirst = mayBeginComment
    if !LineScanner.isBlank(Unicode.Scalar(byte)), byte != UInt8(ascii: "\\") || peek(1) != nil {
      mayBeginComment = byte == UInt8(ascii: ";")
    }
    switch byte {
    case UInt8(ascii: "'"): open(.singleQuote)
    case UInt8(ascii: "\""): open(.doubleQuote)
    case UInt8(ascii: "{") where peek(1) == byte: skipReference()
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      brackets = [Character(Unicode.Scalar(byte))]
      open(.bracket)
    case UInt8(ascii: "$") where peek(1) == UInt8(ascii: "{") && peek(2) != UInt8(ascii: "{"):
      index += 2
    case UInt8(ascii: "\\"):
      if peek(1) == nil { (endsInBackslash, opening) = (true, index) }
      index += 2
    case UInt8(ascii: "#") where isFirst: return false
    case UInt8(ascii: "<") where peek(1) == byte && peek(2) != byte && mayBeginWord: return false
    default: index += 1
    }
    return true
  }

  private mutating func scanQuoted(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""):
      close()
      index += 1
    case UInt8(ascii: "\\"):
      index += peek(1) == UInt8(ascii: "u") && peek(2) == UInt8(ascii: "{") ? 3 : 2
    case UInt8(ascii: "{") where peek(1) == byte: skipReference()
    default: index += 1
    }
  }

  private mutating func scanBracket(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "{") where peek(1) == byte:
      if !skipReference(), !isInString { brackets += ["{", "{"] }
      return
    case UInt8(ascii: "\\") where isInString: index += 1
    case UInt8(ascii: "\""): isInString.toggle()
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      if !isInString { brackets.append(Character(Unicode.Scalar(byte))) }
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      let opener: Character = byte == UInt8(ascii: "}") ? "{" : "["
      if !isInString, brackets.last == opener { brackets.removeLast() }
      if brackets.isEmpty { close() }
    default: break
    }
    index += 1
  }

  /// Skips a reference, or only its opening braces if this line does not close it. Returns whether
  /// it does.
  @discardableResult
  private mutating func skipReference() -> Bool {
    index += 2
    guard !hasNoReferenceEnd else { return false }
    var end = index
    while end + 1 < bytes.count {
      if bytes[end] == UInt8(ascii: "}"), bytes[end + 1] == bytes[end] {
        index = end + 2
        return true
      }
      end += 1
    }
    hasNoReferenceEnd = true
    return false
  }
}
