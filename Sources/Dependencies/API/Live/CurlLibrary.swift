import CCurl
import SwiftBoardSystem

/// The functions of libcurl, loaded on first use. Linking libcurl would load its thirty libraries
/// at every start of the program.
///
/// All functions are looked up once. Handles are plain pointers. `TransferEngine` ensures that only
/// one thread uses them.
struct CurlLibrary: @unchecked Sendable {
  // Unchecked: the addresses of functions never change, and any thread may call the functions.

  typealias Handle = UnsafeMutableRawPointer

  /// The library, or the reason why it is unavailable. Loading takes a few milliseconds, so do not
  /// load it on a thread that other work waits for.
  static let loaded: Result<CurlLibrary, APIError> = load()

  let easyInit: @convention(c) () -> Handle?
  let easyCleanup: @convention(c) (Handle?) -> Void
  let easyReset: @convention(c) (Handle?) -> Void
  let easyPause: @convention(c) (Handle?, Int32) -> Int32
  let listAppend:
    @convention(c) (UnsafeMutablePointer<curl_slist>?, UnsafePointer<CChar>?) ->
      UnsafeMutablePointer<curl_slist>?
  let listFree: @convention(c) (UnsafeMutablePointer<curl_slist>?) -> Void
  let multiInit: @convention(c) () -> Handle?
  /// Variable for tests.
  var multiCleanup: @convention(c) (Handle?) -> Int32
  let multiAdd: @convention(c) (Handle?, Handle?) -> Int32
  let multiRemove: @convention(c) (Handle?, Handle?) -> Int32
  let multiPerform: @convention(c) (Handle?, UnsafeMutablePointer<Int32>?) -> Int32
  let multiPoll:
    @convention(c) (Handle?, UnsafeMutableRawPointer?, UInt32, Int32, UnsafeMutablePointer<Int32>?)
      -> Int32
  /// Variable for tests.
  var multiWakeup: @convention(c) (Handle?) -> Int32
  let multiRead:
    @convention(c) (Handle?, UnsafeMutablePointer<Int32>?) -> UnsafeMutablePointer<CURLMsg>?
  private let getVersion: @convention(c) () -> UnsafePointer<CChar>?
  private let easySet: UnsafeMutableRawPointer
  private let multiSet: UnsafeMutableRawPointer
  private let easyGet: UnsafeMutableRawPointer

  #if os(macOS)
    private static let names = ["/usr/lib/libcurl.4.dylib", "libcurl.4.dylib", "libcurl.dylib"]
    private static let advice = "Install it with: brew install curl"
  #else
    private static let names = ["libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"]
    private static let advice =
      "Install the package libcurl4 (Debian, Ubuntu), libcurl (Fedora) or curl (Arch, Alpine)."
  #endif

  private static func load() -> Result<CurlLibrary, APIError> {
    for name in names {
      // Binding all functions of thirty libraries immediately would take longer than a request.
      guard let library = dlopen(name, RTLD_LAZY | RTLD_LOCAL) else { continue }
      do throws(APIError) {
        return .success(try CurlLibrary(library, name: name))
      } catch {
        return .failure(error)
      }
    }
    return .failure(
      APIError(
        .libraryMissing,
        "HTTP needs libcurl, which is not on this machine (looked for \(names[0])). \(advice)"))
  }

  private init(_ library: UnsafeMutableRawPointer, name: String) throws(APIError) {
    func symbol(_ symbol: String) throws(APIError) -> UnsafeMutableRawPointer {
      if let address = dlsym(library, symbol) { return address }
      throw APIError(
        .libraryMissing,
        "\(name) is too old: it has no \(symbol). HTTP needs libcurl 7.68 or newer. \(Self.advice)")
    }
    // Each cast gives the address the type from curl/curl.h. Enums and CURL * are int and void * in
    // the calling convention of C.
    let globalInit = unsafeBitCast(
      try symbol("curl_global_init"), to: (@convention(c) (Int) -> Int32).self)
    func function<F>(_ name: String) throws(APIError) -> F {
      unsafeBitCast(try symbol(name), to: F.self)
    }
    easyInit = try function("curl_easy_init")
    easyCleanup = try function("curl_easy_cleanup")
    easyReset = try function("curl_easy_reset")
    easyPause = try function("curl_easy_pause")
    listAppend = try function("curl_slist_append")
    listFree = try function("curl_slist_free_all")
    multiInit = try function("curl_multi_init")
    multiCleanup = try function("curl_multi_cleanup")
    multiAdd = try function("curl_multi_add_handle")
    multiRemove = try function("curl_multi_remove_handle")
    multiPerform = try function("curl_multi_perform")
    multiPoll = try function("curl_multi_poll")
    multiWakeup = try function("curl_multi_wakeup")
    multiRead = try function("curl_multi_info_read")
    getVersion = try function("curl_version")
    easySet = try symbol("curl_easy_setopt")
    multiSet = try symbol("curl_multi_setopt")
    easyGet = try symbol("curl_easy_getinfo")
    guard globalInit(3) == 0 else {
      throw APIError(.libraryMissing, "\(name) could not set itself up (curl_global_init failed).")
    }
  }

  /// The versions of the library and of those that it uses. Takes milliseconds, because libldap,
  /// which is asked too, then loads its own plug-ins.
  var version: String { getVersion().map { String(cString: $0) } ?? "unknown" }

  // MARK: Options

  func set(_ handle: Handle, _ option: CURLoption, _ value: Int) {
    _ = swiftboard_curl_set_long(easySet, handle, Int32(bitPattern: option.rawValue), value)
  }

  func set(_ handle: Handle, offset option: CURLoption, _ value: Int) {
    _ = swiftboard_curl_set_offset(
      easySet, handle, Int32(bitPattern: option.rawValue), curl_off_t(value))
  }

  /// Sets an option. libcurl copies the text.
  func set(_ handle: Handle, _ option: CURLoption, _ value: String) {
    _ = swiftboard_curl_set_pointer(easySet, handle, Int32(bitPattern: option.rawValue), value)
  }

  func set(_ handle: Handle, _ option: CURLoption, _ value: UnsafeRawPointer?) {
    _ = swiftboard_curl_set_pointer(easySet, handle, Int32(bitPattern: option.rawValue), value)
  }

  /// Sets an option whose value is a function of C.
  ///
  /// - Parameter function: A function of C, of the type that the option requires.
  func set<Function>(_ handle: Handle, _ option: CURLoption, function: Function) {
    // A function of C is its address, which is passed like that of data on every platform here.
    set(handle, option, unsafeBitCast(function, to: UnsafeRawPointer?.self))
  }

  /// Sets the function that is called before each sending of a request. Returns whether the library
  /// supports it (from 7.80.0).
  func callBeforeSending(
    _ handle: Handle, _ function: @escaping swiftboard_sending_callback,
    _ context: UnsafeRawPointer
  ) -> Bool {
    // The cast is that of `set(_:_:function:)`.
    swiftboard_curl_set_pointer(
      easySet, handle, Int32(SWIFTBOARD_CURLOPT_PREREQFUNCTION),
      unsafeBitCast(function, to: UnsafeRawPointer?.self)) == 0
      && swiftboard_curl_set_pointer(
        easySet, handle, Int32(SWIFTBOARD_CURLOPT_PREREQDATA), context) == 0
  }

  /// Restricts a handle to `http` and `https`, by name or, in older libraries, by bits.
  func restrictProtocols(_ handle: Handle) {
    let byName = swiftboard_curl_set_pointer(
      easySet, handle, Int32(SWIFTBOARD_CURLOPT_PROTOCOLS_STR), "http,https")
    if byName != 0 {
      _ = swiftboard_curl_set_long(
        easySet, handle, Int32(SWIFTBOARD_CURLOPT_PROTOCOLS), 3)
    }
  }

  /// Lets a pending name lookup end on its own thread when its transfer is cancelled. Libraries
  /// before 7.87 ignore this and wait for the lookup.
  func abandonLookupsOnCancel(_ handle: Handle) {
    _ = swiftboard_curl_set_long(
      easySet, handle, Int32(SWIFTBOARD_CURLOPT_QUICK_EXIT), 1)
  }

  func set(multi handle: Handle, _ option: CURLMoption, _ value: Int) {
    _ = swiftboard_curl_set_long(multiSet, handle, Int32(bitPattern: option.rawValue), value)
  }

  func get(_ handle: Handle, _ info: CURLINFO) -> Int {
    swiftboard_curl_get_long(easyGet, handle, Int32(bitPattern: info.rawValue))
  }

  func get(_ handle: Handle, offset info: CURLINFO) -> Int64 {
    Int64(swiftboard_curl_get_offset(easyGet, handle, Int32(bitPattern: info.rawValue)))
  }
}
