import SwiftBoardSystem

/// Splits bytes into lines. Uses memory for one line of at most `limit` bytes and one chunk.
struct LineInput {
  enum Line {
    /// A line without its line feed.
    case whole(ArraySlice<UInt8>, offset: Int)
    /// The file ends within this line.
    case torn(offset: Int)
    case tooLong(offset: Int)
    case end
  }

  private let source: any LogSource
  private let limit: Int
  private let chunk: Int
  /// `buffer[start..<end]` has been read but not returned.
  private var buffer: [UInt8]
  private var start = 0
  private var end = 0
  /// The offset of `start` in the file.
  private(set) var offset: Int
  private var atEnd = false

  init(_ source: any LogSource, limit: Int, chunk: Int, offset: Int = 0) {
    self.offset = offset
    self.source = source
    self.limit = limit
    self.chunk = max(chunk, 1)
    buffer = [UInt8](repeating: 0, count: max(chunk, 1))
  }

  /// Returns the next line. Its slice stays valid, but the next call copies the buffer unless the
  /// caller has released the slice.
  mutating func next() throws(LogReadError) -> Line {
    var searched = start
    while true {
      if let feed = lineFeed(from: searched) {
        guard feed - start <= limit else { return .tooLong(offset: offset) }
        let line = buffer[start..<feed]
        defer {
          offset += feed + 1 - start
          start = feed + 1
        }
        return .whole(line, offset: offset)
      }
      guard end - start <= limit else { return .tooLong(offset: offset) }
      if atEnd { return end > start ? .torn(offset: offset) : .end }
      searched = end
      let moved = start
      try fill()
      if start != moved { searched -= moved }
    }
  }

  private func lineFeed(from: Int) -> Int? {
    guard from < end else { return nil }
    return buffer.withUnsafeBytes { bytes in
      position(of: 0x0A, in: UnsafeRawBufferPointer(rebasing: bytes[from..<end])).map { from + $0 }
    }
  }

  private mutating func fill() throws(LogReadError) {
    if start > 0 {
      let (from, count) = (start, end - start)
      buffer.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress, count > 0 else { return }
        base.copyMemory(from: UnsafeRawPointer(base + from), byteCount: count)
      }
      start = 0
      end = count
    }
    if end == buffer.count {
      let old = buffer
      buffer = [UInt8](repeating: 0, count: old.count * 2)
      buffer.withUnsafeMutableBytes { bytes in
        old.withUnsafeBytes { bytes.copyMemory(from: $0) }
      }
    }
    var failure: LogReadError?
    let count = buffer.withUnsafeMutableBytes { bytes in
      do throws(LogReadError) {
        // At most one chunk, so that a line without end is detected soon after the limit.
        let free = bytes[end..<min(end + chunk, bytes.count)]
        return try source.read(into: UnsafeMutableRawBufferPointer(rebasing: free))
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    if count == 0 { atEnd = true }
    end += count
  }
}
