import SwiftBoardSystem

/// Bytes on their way to become lines. A pure value: reading is done elsewhere.
struct LineBuffer: Sendable {
  /// The largest number of bytes in a line, including its continuation lines: the same limit as for
  /// a line of a recording.
  static let limit = 64 << 20

  private let limit: Int
  private var bytes: [UInt8] = []
  /// Where the next line starts in `bytes`.
  private var start = 0
  /// Up to where no line end was found yet, so that a long line is not searched twice.
  private var searched = 0
  /// Bytes of the whole input before `bytes`.
  private var consumed = 0
  private var number = 0
  private var hasEnded = false

  /// - Parameter limit: Bytes that a line may have.
  init(limit: Int = Self.limit) {
    self.limit = limit
  }

  /// Adds what was read; nothing means the end.
  mutating func append(_ chunk: [UInt8]) {
    if chunk.isEmpty { hasEnded = true }
    if start > 0, start == bytes.count || start > 1 << 16 {
      bytes.removeFirst(start)
      consumed += start
      searched -= start
      start = 0
    }
    bytes += chunk
  }

  /// The next whole line, a last one without a line end included; `nil` if more must be read or
  /// nothing is left.
  ///
  /// - Throws: 65 for a line beyond the limit, its end seen or not. Nothing may be read after it.
  mutating func next(file: String?) throws(LineSourceError) -> SourceLine? {
    let newline = bytes.withUnsafeBytes { bytes in
      position(of: UInt8(ascii: "\n"), in: UnsafeRawBufferPointer(rebasing: bytes[searched...]))
    }.map { searched + $0 }
    guard (newline ?? bytes.count) - start <= limit else {
      throw .tooLong(LineLocation(file, line: number + 1), limit: limit)
    }
    guard newline != nil || (hasEnded && start < bytes.count) else {
      searched = bytes.count
      return nil
    }
    var end = newline ?? bytes.count
    let next = newline.map { $0 + 1 } ?? end
    defer {
      start = next
      searched = next
    }
    var first = start
    number += 1
    if number == 1, bytes[first..<end].starts(with: [0xEF, 0xBB, 0xBF]) { first += 3 }
    if end > first, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return line(bytes[first..<end], offset: consumed + first, file: file)
  }

  /// All that was read and not taken; it is taken then.
  mutating func takeRest() -> [UInt8] {
    let rest = Array(bytes[start...])
    consumed += bytes.count
    bytes = []
    start = 0
    searched = 0
    return rest
  }

  var isAtEnd: Bool { hasEnded }

  private func line(_ bytes: ArraySlice<UInt8>, offset: Int, file: String?) -> SourceLine {
    let location = LineLocation(file, line: number)
    if let text = String(validating: bytes, as: UTF8.self) {
      return SourceLine(text: text, location: location)
    }
    let valid = UTF8Text.validPrefix(bytes)
    let column = String(decoding: bytes.prefix(valid), as: UTF8.self).count + 1
    let byte = bytes[bytes.startIndex + valid]
    let digits = String(byte, radix: 16)
    return SourceLine(
      text: String(decoding: bytes, as: UTF8.self), location: location,
      problem: LineSyntaxError(
        "invalid UTF-8: byte 0x\(digits.count == 1 ? "0" : "")\(digits) at offset \(offset + valid)",
        help: "save it as UTF-8", column: column, code: 65))
  }
}

extension LineSourceError {
  /// A line that is longer than a line may be.
  ///
  /// - Parameter limit: In bytes.
  static func tooLong(_ location: LineLocation, limit: Int) -> LineSourceError {
    let size = limit >> 20 > 0 ? "\(limit >> 20) MiB" : "\(limit) bytes"
    return LineSourceError(
      code: 65, message: "\(escapeControls(location.description)): a line of more than \(size)",
      help: "is this a script? a quote, bracket or heredoc left open takes the lines behind it, too"
    )
  }
}

/// UTF-8 as RFC 3629 has it.
enum UTF8Text {
  /// How many bytes from the start are valid.
  static func validPrefix(_ bytes: ArraySlice<UInt8>) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var count = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): count += UTF8.width(scalar)
      case .emptyInput, .error: return count
      }
    }
  }
}
