import CCurl
import SwiftBoardSystem

/// An easy handle of libcurl and the buffer for its error text. Used by the engine's thread only.
final class EasyHandle {
  let library: CurlLibrary
  let raw: CurlLibrary.Handle
  private let errorText: UnsafeMutablePointer<CChar>
  /// Whether the handle has only the constant options and those that every request sets, and needs
  /// no reset.
  private var isPlain = false

  init?(_ library: CurlLibrary) {
    guard let raw = library.easyInit() else { return nil }
    self.library = library
    self.raw = raw
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE) + 1)
  }

  deinit {
    library.easyCleanup(raw)
    errorText.deallocate()
  }

  /// The error text of libcurl for the last failure; empty if there is none.
  var error: String { String(cString: errorText) }

  /// The error of the system with which a connection failed, or 0 if libcurl does not know it.
  func connectionError(of transfer: Transfer) -> Int32 {
    transfer.socketFailure ?? Int32(truncatingIfNeeded: library.get(raw, CURLINFO_OS_ERRNO))
  }

  /// Sets the options for a transfer. `transfer` must live until the handle is removed from the
  /// multi handle.
  func prepare(
    _ transfer: Transfer, _ configuration: LiveAPIClient.Configuration, timeoutMilliseconds: Int?
  ) {
    if !isPlain { setConstants(configuration) }
    isPlain =
      transfer.request.isPlain && transfer.request.isRepeatable && transfer.download == nil
    errorText.update(repeating: 0, count: Int(CURL_ERROR_SIZE) + 1)
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    library.set(raw, CURLOPT_HEADERDATA, UnsafeRawPointer(context))
    library.set(raw, CURLOPT_WRITEDATA, UnsafeRawPointer(context))
    library.set(raw, CURLOPT_OPENSOCKETDATA, UnsafeRawPointer(context))
    // Older libraries do not say when they send a request, and cannot be kept from sending it again
    // on a kept connection.
    if !library.callBeforeSending(raw, willSend, UnsafeRawPointer(context)) {
      transfer.assumeSent()
      library.set(raw, CURLOPT_FRESH_CONNECT, transfer.request.isRepeatable ? 0 : 1)
    }
    // libcurl takes a host name beyond ASCII to be in the thread's character set.
    if !transfer.address.host.utf8.allSatisfy({ $0 < 0x80 }) { ThreadLocale.useUTF8() }
    library.set(raw, CURLOPT_URL, transfer.address.url)
    // An empty text is no proxy, whatever the environment says.
    library.set(raw, CURLOPT_PROXY, transfer.proxy?.url ?? "")
    // 0 would select libcurl's default connection timeout of 300 seconds. The idle limit does not
    // apply before there is a connection.
    let idleLimit = transfer.request.idleLimit.map {
      Int(min($0.millisecondsRoundedUp, Int64(Int32.max)))
    }
    library.set(
      raw, CURLOPT_CONNECTTIMEOUT_MS, timeoutMilliseconds ?? idleLimit ?? Int(Int32.max))
    library.set(raw, CURLOPT_TIMEOUT_MS, timeoutMilliseconds ?? 0)
    setMethodAndBody(of: transfer)
    setHeaders(of: transfer)
    if !isPlain { setRareOptions(of: transfer) }
  }

  /// Sets the options that few requests use. `release()` resets a handle with any of them.
  private func setRareOptions(of transfer: Transfer) {
    let request = transfer.request
    // The source of a body of unknown length may be slow.
    if transfer.upload == nil || transfer.upload?.upload.length != nil {
      limitIdleTime(of: request)
    }
    // Decoded data may be a thousand times larger, and a piece is decoded whole.
    if transfer.download != nil, !request.acceptsCompression {
      library.set(raw, CURLOPT_BUFFERSIZE, 256 << 10)
    }
    if let digest = request.digest {
      library.set(raw, CURLOPT_HTTPAUTH, 2)
      library.set(raw, CURLOPT_USERNAME, digest.user)
      library.set(raw, CURLOPT_PASSWORD, digest.password)
      if transfer.upload != nil {
        // Before the challenge, libcurl announces an empty body, and does not end it in HTTP/2.
        library.set(raw, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // A kept connection may be one of HTTP/2.
        library.set(raw, CURLOPT_FRESH_CONNECT, 1)
      }
    }
    if !request.isRepeatable, transfer.address.scheme == "https" {
      // With TLS it may be HTTP/2. Only the debug text says that libcurl repeats a refused stream.
      library.set(raw, CURLOPT_VERBOSE, 1)
      library.set(raw, CURLOPT_DEBUGFUNCTION, function: receiveDebugText)
      library.set(
        raw, CURLOPT_DEBUGDATA, UnsafeRawPointer(Unmanaged.passUnretained(transfer).toOpaque()))
    }
    let connection = request.connection
    if let file = connection.authorityFile {
      library.set(raw, CURLOPT_CAINFO, file)
      library.set(raw, CURLOPT_CAPATH, nil as UnsafeRawPointer?)
    }
    if let file = connection.certificateFile {
      library.set(raw, CURLOPT_SSLCERT, file)
      library.set(raw, CURLOPT_SSLKEY, connection.keyFile ?? file)
      // Without a passphrase, the TLS library would ask for that of an encrypted key: at the
      // terminal or, without one, on standard input.
      library.set(raw, CURLOPT_KEYPASSWD, "")
    }
    if !connection.verifiesServer {
      library.set(raw, CURLOPT_SSL_VERIFYPEER, 0)
      library.set(raw, CURLOPT_SSL_VERIFYHOST, 0)
    }
    if let socket = connection.unixSocket { library.set(raw, CURLOPT_UNIX_SOCKET_PATH, socket) }
  }

  /// Limits the time without a transferred byte from now on.
  func limitIdleTime(of request: APIRequest) {
    guard let limit = request.idleLimit else { return }
    library.set(raw, CURLOPT_LOW_SPEED_LIMIT, 1)
    let seconds = (limit.millisecondsRoundedUp + 999) / 1000
    library.set(raw, CURLOPT_LOW_SPEED_TIME, Int(min(max(1, seconds), Int64(Int32.max))))
  }

  /// Lets `release()` reset the handle.
  func needsReset() { isPlain = false }

  /// Resets the options that few requests use, before the handle becomes idle. Releases the copy of
  /// a body.
  func release() {
    if !isPlain { library.easyReset(raw) }
  }

  /// Sets the options that are the same for all transfers.
  private func setConstants(_ configuration: LiveAPIClient.Configuration) {
    library.set(raw, CURLOPT_ERRORBUFFER, UnsafeRawPointer(errorText))
    library.set(raw, CURLOPT_NOSIGNAL, 1)
    library.set(raw, CURLOPT_FOLLOWLOCATION, 0)
    library.set(raw, CURLOPT_HTTP09_ALLOWED, 0)
    library.set(raw, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    library.set(raw, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    library.restrictProtocols(raw)
    library.abandonLookupsOnCancel(raw)
    library.set(raw, CURLOPT_OPENSOCKETFUNCTION, function: openSocket)
    library.set(raw, CURLOPT_USERAGENT, configuration.userAgent)
    // `ProxySettings` has decided whether there is a proxy.
    library.set(raw, CURLOPT_NOPROXY, "")
    if let file = configuration.certificateFile {
      library.set(raw, CURLOPT_CAINFO, file)
      library.set(raw, CURLOPT_PROXY_CAINFO, file)
    }
    if let folder = configuration.certificateFolder {
      library.set(raw, CURLOPT_CAPATH, folder)
      library.set(raw, CURLOPT_PROXY_CAPATH, folder)
    }
    library.set(raw, CURLOPT_HEADERFUNCTION, function: receiveHeaderLine)
    library.set(raw, CURLOPT_WRITEFUNCTION, function: receiveBody)
  }

  private func setMethodAndBody(of transfer: Transfer) {
    let request = transfer.request
    if request.method == "HEAD" {
      library.set(raw, CURLOPT_NOBODY, 1)
      return
    }
    if let upload = transfer.upload {
      let context = Unmanaged.passUnretained(transfer).toOpaque()
      library.set(raw, CURLOPT_UPLOAD, 1)
      library.set(raw, CURLOPT_CUSTOMREQUEST, request.method)
      library.set(raw, offset: CURLOPT_INFILESIZE_LARGE, Int(upload.upload.length ?? -1))
      library.set(raw, CURLOPT_UPLOAD_BUFFERSIZE, 512 << 10)
      library.set(raw, CURLOPT_READDATA, UnsafeRawPointer(context))
      library.set(raw, CURLOPT_READFUNCTION, function: readBody)
      library.set(raw, CURLOPT_SEEKDATA, UnsafeRawPointer(context))
      library.set(raw, CURLOPT_SEEKFUNCTION, function: rewindBody)
    } else if let body = request.body {
      library.set(raw, offset: CURLOPT_POSTFIELDSIZE_LARGE, body.count)
      body.withUnsafeBytes { bytes in
        if let start = bytes.baseAddress, !bytes.isEmpty {
          library.set(raw, CURLOPT_COPYPOSTFIELDS, start)
        } else {
          library.set(raw, CURLOPT_COPYPOSTFIELDS, "")
        }
      }
      library.set(raw, CURLOPT_CUSTOMREQUEST, request.method)
    } else if ["POST", "PUT", "PATCH"].contains(request.method) {
      // Servers may reject these methods without a length.
      library.set(raw, offset: CURLOPT_POSTFIELDSIZE_LARGE, 0)
      library.set(raw, CURLOPT_COPYPOSTFIELDS, "")
      library.set(raw, CURLOPT_CUSTOMREQUEST, request.method)
    } else {
      library.set(raw, CURLOPT_HTTPGET, 1)
      if request.method != "GET" { library.set(raw, CURLOPT_CUSTOMREQUEST, request.method) }
    }
  }

  private func setHeaders(of transfer: Transfer) {
    var list: UnsafeMutablePointer<curl_slist>?
    // `Name;` sends an empty field. `Name:`, also with blanks behind it, suppresses the one of
    // libcurl.
    for header in transfer.request.headers where !isOwn(header.name) {
      let isEmpty = header.value.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == 0x09 }
      let line = isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
      list = library.listAppend(list, line) ?? list
    }
    // libcurl would wait a second before it sends a long body.
    if transfer.request.headers.value(of: "Expect") == nil {
      list = library.listAppend(list, "Expect:") ?? list
    }
    if transfer.request.decodesBody, ZLibrary.loaded != nil {
      list = library.listAppend(list, "Accept-Encoding: gzip, deflate") ?? list
    }
    for name in transfer.request.removedHeaders where !isOwn(name) {
      list = library.listAppend(list, "\(name):") ?? list
    }
    if transfer.request.headers.value(of: "Content-Type") == nil {
      list = library.listAppend(list, "Content-Type:") ?? list
    }
    transfer.headerList = list
    library.set(raw, CURLOPT_HTTPHEADER, UnsafeRawPointer(list))
  }

  /// Resumes a paused transfer. libcurl delivers the data that it kept during this call, and only
  /// the result of the call reports a failure of that.
  func resume() -> CURLcode { CURLcode(rawValue: .init(library.easyPause(raw, 0))) }

  /// Returns whether a header follows from the body and can therefore not be set by the caller.
  private func isOwn(_ name: String) -> Bool {
    ["content-length", "transfer-encoding"].contains(name.lowercased())
  }

  /// The timing of the transfer. The connection stages are 0 if a kept connection was used.
  var timing: APITiming {
    var timing = APITiming()
    if library.get(raw, CURLINFO_NUM_CONNECTS) > 0 {
      timing.lookup = library.get(raw, offset: CURLINFO_NAMELOOKUP_TIME_T)
      timing.connect = library.get(raw, offset: CURLINFO_CONNECT_TIME_T)
      timing.tls = library.get(raw, offset: CURLINFO_APPCONNECT_TIME_T)
    }
    timing.firstByte = library.get(raw, offset: CURLINFO_STARTTRANSFER_TIME_T)
    timing.total = library.get(raw, offset: CURLINFO_TOTAL_TIME_T)
    return timing
  }
}

// MARK: Callbacks, on the engine's thread, during curl_multi_perform

private func transfer(_ context: UnsafeMutableRawPointer) -> Transfer {
  Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
}

private let receiveHeaderLine: swiftboard_data_callback = { bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
  return transfer(context).receive(headerLine: line) ? line.count : 0
}

private let receiveBody: swiftboard_data_callback = { bytes, size, count, context in
  guard let context else { return 0 }
  let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
  // A count other than the given one is an error, also for an empty piece.
  let transfer = transfer(context)
  let reception = transfer.receive(body: piece) { transfer.easy?.timing ?? APITiming() }
  return switch reception {
  case .taken: piece.count
  case .pause: Int(CURL_WRITEFUNC_PAUSE)
  case .stop: Int(UInt32.max)
  }
}

private let willSend: swiftboard_sending_callback = { context, _, _, _, _ in
  guard let context else { return 0 }
  // CURL_PREREQFUNC_OK and CURL_PREREQFUNC_ABORT, which older headers lack.
  return transfer(context).willSend() ? 0 : 1
}

private let receiveDebugText: swiftboard_debug_callback = { _, kind, bytes, size, context in
  guard kind == CURLINFO_TEXT.rawValue, let bytes, let context else { return 0 }
  let text = UnsafeRawBufferPointer(start: bytes, count: size)
  if text.starts(with: "REFUSED_STREAM".utf8) { transfer(context).noteRefusedStream() }
  return 0
}

private let readBody: swiftboard_data_callback = { bytes, size, count, context in
  guard let bytes, let context, let upload = transfer(context).upload else { return 0 }
  let read = upload.read(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
  // The body is complete. From now on the client waits for the service.
  if read == 0 { transfer(context).easy?.limitIdleTime(of: transfer(context).request) }
  return read
}

/// libcurl only seeks to the beginning.
private let rewindBody: swiftboard_seek_callback = { context, offset, _ in
  guard offset == 0, let context, let upload = transfer(context).upload, upload.rewind() else {
    return Int32(CURL_SEEKFUNC_FAIL)
  }
  return Int32(CURL_SEEKFUNC_OK)
}

/// Opens the socket of a connection. Child processes, such as a pager, do not keep it open.
///
/// libcurl does not report why it could not open a socket.
private let openSocket: swiftboard_socket_callback = { context, _, address in
  guard let context, let address = address?.pointee else { return CURL_SOCKET_BAD }
  let descriptor = socket(address.family, address.socktype, address.protocol)
  if descriptor < 0 {
    transfer(context).noteSocketFailure(errno)
  } else {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }
  return descriptor
}
