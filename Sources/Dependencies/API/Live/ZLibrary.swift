import CCurl
import SwiftBoardSystem

/// The functions of zlib, loaded on first use. libcurl depends on it, so that it is there where
/// requests are possible.
///
/// Unchecked: the addresses of functions never change, and any thread may call the functions.
struct ZLibrary: @unchecked Sendable {
  typealias Stream = UnsafeMutablePointer<swiftboard_zlib_stream>
  typealias Prepare = @convention(c) (Stream, Int32, UnsafePointer<CChar>, Int32) -> Int32
  typealias Inflate = @convention(c) (Stream, Int32) -> Int32
  typealias Change = @convention(c) (Stream) -> Int32

  static let (ok, streamEnd, bufferError) = (Int32(0), Int32(1), Int32(-5))

  /// The library, or `nil` if it is missing. Requests then accept no compressed body.
  static let loaded = load()

  let prepare: Prepare
  let inflate: Inflate
  let reset: Change
  let end: Change

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
    self.prepare = unsafeBitCast(prepare, to: Prepare.self)
    self.inflate = unsafeBitCast(inflate, to: Inflate.self)
    self.reset = unsafeBitCast(reset, to: Change.self)
    self.end = unsafeBitCast(end, to: Change.self)
  }
}
