import CCurl

/// Decodes a body with the encoding `gzip` or `deflate` piece by piece (RFC 9110, 8.4.1). A body
/// with two encodings has two decoders, one inside the other.
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
  /// Decodes what this decoder returns; `nil` for a body with one encoding.
  private let inner: BodyDecoder?
  /// Whether the bytes so far are a whole body.
  var isComplete: Bool { isLayerComplete && inner?.isComplete != false }
  /// Whether they are one in this encoding.
  private var isLayerComplete = false
  /// The bytes before the form of `deflate` is known.
  private var start: [UInt8] = []
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

  /// - Parameter inner: The decoder of the encoding that was applied before this one.
  init(_ library: ZLibrary, _ encoding: Encoding, inner: BodyDecoder? = nil) {
    self.library = library
    self.encoding = encoding
    self.inner = inner
  }

  /// Creates the decoder of a body with these encodings, in the order in which they were applied.
  /// Returns `nil` if one of them is unknown, or if there are more than two. A service could
  /// multiply the work of each byte by a thousand with each of them.
  convenience init?(_ library: ZLibrary, names: [String]) {
    let encodings = names.compactMap { Encoding(rawValue: $0 == "x-gzip" ? "gzip" : $0) }
    guard encodings.count == names.count, (1...2).contains(names.count) else { return nil }
    self.init(
      library, encodings[encodings.count - 1],
      inner: encodings.count == 2 ? BodyDecoder(library, encodings[0]) : nil)
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
    guard let inner else { return try decodeLayer(piece, take) }
    var innerStop: Stop?
    do throws(Stop) {
      try decodeLayer(piece) { decoded in
        do throws(Stop) {
          try inner.decode(decoded, take)
          return true
        } catch {
          innerStop = error
          return false
        }
      }
    } catch {
      throw innerStop ?? error
    }
  }

  private func decodeLayer(
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
      if isLayerComplete {
        guard stream.avail_in > 0 else { return }
        // A file of gzip may have several members (RFC 1952, 2.2).
        guard encoding == .gzip, stream.next_in.pointee == 0x1F,
          library.reset(&stream) == ZLibrary.ok
        else { throw .trailing }
        isLayerComplete = false
      }
      stream.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.avail_out = UInt32(buffer.count)
      let code = library.inflate(&stream, 0)
      let decoded = UnsafeRawBufferPointer(buffer)[..<(buffer.count - Int(stream.avail_out))]
      if !decoded.isEmpty, !take(UnsafeRawBufferPointer(rebasing: decoded)) { throw .receiver }
      switch code {
      case ZLibrary.streamEnd: isLayerComplete = true
      // No progress is possible without more bytes.
      case ZLibrary.bufferError: return
      case ZLibrary.ok: if stream.avail_in == 0, stream.avail_out > 0 { return }
      default: throw .damaged
      }
    }
  }
}
