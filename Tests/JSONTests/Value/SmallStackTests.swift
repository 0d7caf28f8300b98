import SwiftBoardJSON
import Synchronization
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Runs a closure on a thread with a stack of its own size.
private final class SmallThread: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func run(stack: Int) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, stack)
    let box = Unmanaged.passRetained(self).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
      pthread_create(&thread, &attributes, { start($0) }, box)
      if let thread { pthread_join(thread, nil) }
    #else
      var thread = pthread_t()
      pthread_create(&thread, &attributes, { start($0) }, box)
      pthread_join(thread, nil)
    #endif
    pthread_attr_destroy(&attributes)
  }
}

private func start(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let box { Unmanaged<SmallThread>.fromOpaque(box).takeRetainedValue().body() }
  return nil
}

@Suite struct SmallStackTests {
  /// The deepest text that readers accept, on the smallest stack that a thread has by default: a
  /// value or an error.
  @Test("deep text is read on a small stack") func deepTextOnASmallStack() {
    let results = Mutex<[Bool]>([])
    SmallThread {
      let depth = 255
      let text =
        String(repeating: #"{"nested":{"_0":"#, count: depth) + #"{"plain":{}}"#
        + String(repeating: "}}", count: depth)
      do {
        let action = try CanonicalDecoder.decode(Zoo.Action.self, from: text.utf8)
        let bytes = try CanonicalEncoder.encode(action)
        results.withLock { $0.append(bytes == Array(text.utf8)) }
      } catch is DecodingError {
        results.withLock { $0.append(true) }
      } catch {
        results.withLock { $0.append(error is EncodingError) }
      }
      let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
      let value = try? JSON(parsing: deep)
      results.withLock { $0.append(value?.text == deep && value?.canonical == deep) }
    }.run(stack: 512 * 1024)
    #expect(results.withLock { $0 } == [true, true])
  }
}
