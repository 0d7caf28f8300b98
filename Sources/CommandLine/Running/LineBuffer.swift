import SwiftBoardJSON
import SwiftBoardSystem

/// Splits bytes into lines. It is a pure value and does not read by itself.
package struct LineBuffer: Sendable {
  /// The maximum number of bytes in a line, including its continuation lines. It equals the limit
  /// of a line in a recording.
  package static let limit = 64 << 20

  private let limit: Int
  private var bytes: [UInt8] = []
  /// The index in `bytes` at which the next line starts.
  private var start = 0
  /// The index up to which `bytes` contains no newline, so that a long line is searched only once.
  private var searched = 0
  /// The number of bytes of the input before `bytes`.
  private var consumed = 0
  private var number = 0
  private var hasEnded = false

  /// - Parameter limit: The maximum number of bytes in a line.
  init(limit: Int = Self.limit) {
    self.limit = limit
  }

  /// Appends a chunk of the input. An empty chunk marks the end.
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

  /// Returns the next complete line, including a last one without a newline, or `nil` if more must
  /// be read or nothing is left.
  ///
  /// - Throws: 65 for a line beyond the limit, even if its end was not reached. Nothing may be read
  ///   after that.
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

  var isAtEnd: Bool { hasEnded }

  private func line(_ bytes: ArraySlice<UInt8>, offset: Int, file: String?) -> SourceLine {
    let location = LineLocation(file, line: number)
    if let text = String(validating: bytes, as: UTF8.self) {
      return SourceLine(text: text, location: location)
    }
    let valid = bytes.withUnsafeBufferPointer(\.validUTF8Prefix)
    let column = String(decoding: bytes.prefix(valid), as: UTF8.self).count + 1
    let byte = bytes[bytes.startIndex + valid]
    let digits = String(byte, radix: 16)
    return SourceLine(
      text: String(decoding: bytes, as: UTF8.self), location: location,
      problem: LineSyntaxError(
        "invalid UTF-8: byte 0x\(digits.count == 1 ? "0" : "")\(digits) at offset \(offset + valid)",
        help: "save it as UTF-8", column: column, kind: .malformedData))
  }
}

extension LineSourceError {
  /// Returns the error of a line that is too long.
  ///
  /// - Parameter limit: The limit in bytes.
  package static func tooLong(_ location: LineLocation, limit: Int) -> LineSourceError {
    let size = limit >> 20 > 0 ? "\(limit >> 20) MiB" : "\(limit) bytes"
    return LineSourceError(
      .malformedData,
      message: "\(escapeControls(location.description)): a line of more than \(size)",
      help: "is this a script? a quote, bracket or heredoc left open takes the lines behind it, too"
    )
  }
}
