import CCurl

/// Decodes a body with the encoding `gzip` or `deflate` piece by piece (RFC 9110, 8.4.1).
///
/// libcurl could do this, but it takes a body that is cut off for a whole one.
final class BodyDecoder {
  /// The encodings that are decoded, by their names.
  enum Encoding: String {
    case gzip, deflate
  }

  /// The reason why decoding has stopped.
  enum Stop: Error {
    /// The receiver of the decoded bytes.
    case receiver
    /// The bytes are not in the encoding, or their checksum differs.
    case damaged
    /// There are bytes after the end of the encoded body.
    case trailing
  }

  private let library: ZLibrary
  private let encoding: Encoding
  private var stream = swiftboard_zlib_stream()
  private var isPrepared = false
  /// Whether the bytes so far are a whole body.
  private(set) var isComplete = false
  /// The bytes before the form of `deflate` is known.
  private var start: [UInt8] = []
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  init(_ library: ZLibrary, _ encoding: Encoding) {
    self.library = library
    self.encoding = encoding
  }

  deinit {
    if isPrepared { _ = library.end(&stream) }
    buffer.deallocate()
  }

  /// Decodes a piece and passes on what results, in pieces of at most 64 KiB, until `take` returns
  /// false.
  func decode(
    _ piece: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool
  ) throws(Stop) {
    guard !isPrepared else { return try inflate(piece, take) }
    start += piece
    // Two bytes tell the forms of `deflate` apart.
    guard start.count > 1 else { return }
    let whole = start
    start = []
    let windowBits: Int32 =
      switch encoding {
      case .gzip: 15 + 16
      case .deflate: Self.hasHeader(whole) ? 15 : -15
      }
    guard
      library.prepare(
        &stream, windowBits, "1", Int32(MemoryLayout<swiftboard_zlib_stream>.size)) == ZLibrary.ok
    else { throw .damaged }
    isPrepared = true
    var stop: Stop?
    whole.withUnsafeBytes { bytes in
      do throws(Stop) { try inflate(bytes, take) } catch { stop = error }
    }
    if let stop { throw stop }
  }

  /// Returns whether `deflate` data is in the format of RFC 1950, as it should be. Some servers
  /// send that of RFC 1951, which has no header.
  private static func hasHeader(_ bytes: [UInt8]) -> Bool {
    bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
  }

  private func inflate(
    _ piece: UnsafeRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Bool
  ) throws(Stop) {
    guard let first = piece.baseAddress, !piece.isEmpty else { return }
    // zlib only reads through the pointer.
    stream.next_in = first.assumingMemoryBound(to: UInt8.self)
    stream.avail_in = UInt32(piece.count)
    while true {
      if isComplete {
        guard stream.avail_in > 0 else { return }
        // A file of gzip may have several members (RFC 1952, 2.2).
        guard encoding == .gzip, stream.next_in.pointee == 0x1F,
          library.reset(&stream) == ZLibrary.ok
        else { throw .trailing }
        isComplete = false
      }
      stream.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.avail_out = UInt32(buffer.count)
      let code = library.inflate(&stream, 0)
      let decoded = UnsafeRawBufferPointer(buffer)[..<(buffer.count - Int(stream.avail_out))]
      if !decoded.isEmpty, !take(UnsafeRawBufferPointer(rebasing: decoded)) { throw .receiver }
      switch code {
      case ZLibrary.streamEnd: isComplete = true
      // No progress is possible without more bytes.
      case ZLibrary.bufferError: return
      case ZLibrary.ok: if stream.avail_in == 0, stream.avail_out > 0 { return }
      default: throw .damaged
      }
    }
  }
}
