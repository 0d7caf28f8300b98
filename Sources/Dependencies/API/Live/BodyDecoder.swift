import CCurl
import SwiftBoardSystem

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
  private var hasEnded = false
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

  /// Whether the bytes so far are a whole body.
  var isComplete: Bool { hasEnded }

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
      if hasEnded {
        guard stream.avail_in > 0 else { return }
        // A file of gzip may have several members (RFC 1952, 2.2).
        guard encoding == .gzip, stream.next_in.pointee == 0x1F,
          library.reset(&stream) == ZLibrary.ok
        else { throw .trailing }
        hasEnded = false
      }
      stream.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.avail_out = UInt32(buffer.count)
      let code = library.inflate(&stream, 0)
      let decoded = UnsafeRawBufferPointer(buffer)[..<(buffer.count - Int(stream.avail_out))]
      if !decoded.isEmpty, !take(UnsafeRawBufferPointer(rebasing: decoded)) { throw .receiver }
      switch code {
      case ZLibrary.streamEnd: hasEnded = true
      // No progress is possible without more bytes.
      case ZLibrary.bufferError: return
      case ZLibrary.ok: if stream.avail_in == 0, stream.avail_out > 0 { return }
      default: throw .damaged
      }
    }
  }
}

/// The functions of zlib, loaded on first use. libcurl depends on it, so that it is there where
/// requests are possible.
///
/// Unchecked: the addresses of functions never change, and any thread may call the functions.
struct ZLibrary: @unchecked Sendable {
  typealias Stream = UnsafeMutablePointer<swiftboard_zlib_stream>

  static let (ok, streamEnd, bufferError) = (Int32(0), Int32(1), Int32(-5))

  /// The library, or `nil` if it is missing. Requests then accept no compressed body.
  static let loaded = load()

  let prepare: @convention(c) (Stream, Int32, UnsafePointer<CChar>, Int32) -> Int32
  let inflate: @convention(c) (Stream, Int32) -> Int32
  let reset: @convention(c) (Stream) -> Int32
  let end: @convention(c) (Stream) -> Int32

  #if os(macOS)
    private static let names = ["/usr/lib/libz.1.dylib", "libz.dylib"]
  #else
    private static let names = ["libz.so.1", "libz.so"]
  #endif

  private static func load() -> ZLibrary? {
    for name in names {
      guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { continue }
      return ZLibrary(library)
    }
    return nil
  }

  private init?(_ library: UnsafeMutableRawPointer) {
    guard let prepare = dlsym(library, "inflateInit2_"), let inflate = dlsym(library, "inflate"),
      let reset = dlsym(library, "inflateReset"), let end = dlsym(library, "inflateEnd")
    else { return nil }
    // Each cast gives the address the type from zlib.h.
    self.prepare = unsafeBitCast(
      prepare,
      to: (@convention(c) (Stream, Int32, UnsafePointer<CChar>, Int32) -> Int32).self)
    self.inflate = unsafeBitCast(inflate, to: (@convention(c) (Stream, Int32) -> Int32).self)
    self.reset = unsafeBitCast(reset, to: (@convention(c) (Stream) -> Int32).self)
    self.end = unsafeBitCast(end, to: (@convention(c) (Stream) -> Int32).self)
  }
}
