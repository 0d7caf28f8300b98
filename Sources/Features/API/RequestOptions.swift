import SwiftBoardCommandLine
import SwiftBoardDependencies

/// The options that say what a request sends, as whom, and over which connection.
enum RequestOptions {
  static let specs = [
    OptionSpec(flag: "form", "send text and JSON as a form"),
    OptionSpec(flag: "multipart", "send text, JSON and files as multipart"),
    OptionSpec("json-body", value: "TEXT", "send TEXT as the body, which is JSON"),
    OptionSpec(
      "auth", value: "HOW", "instead of the service's own: \(AuthenticationParser.forms)",
      kind: .prefix(AuthenticationParser.schemes)),
    OptionSpec("cacert", value: "FILE", "trust the authorities in a PEM file", kind: .file),
    OptionSpec("cert", value: "FILE", "show the certificate in a PEM file", kind: .file),
    OptionSpec("key", value: "FILE", "the key of --cert, where it is in another file", kind: .file),
    OptionSpec(
      flag: "insecure", "take any certificate, also that of a third party in between"),
    OptionSpec(
      "proxy", value: "URL", "ask through a proxy: http, https, socks4, socks5 or socks5h",
      kind: .prefix(APIConnection.proxySchemes.map { $0 + "://" })),
    OptionSpec("unix-socket", value: "FILE", "connect to a socket, whatever the host", kind: .file),
  ]

  static func read(
    _ invocation: Invocation, into spec: inout APIRequestSpec
  ) throws(UsageError) {
    let encodings = ["form", "multipart", "json-body"].filter {
      invocation.option($0) != nil || invocation.flag($0)
    }
    guard encodings.count < 2 else {
      throw UsageError("give one of --form, --multipart and --json-body")
    }
    if invocation.flag("form") { spec.encoding = .form }
    if invocation.flag("multipart") { spec.encoding = .multipart }
    spec.jsonBody = invocation.option("json-body")?.template
    if let auth = invocation.option("auth") {
      spec.authentication = try AuthenticationParser.parse(auth)
    }
    var connection = APIConnectionSpec()
    connection.authorityFile = try invocation.text("cacert")
    connection.certificateFile = try invocation.text("cert")
    connection.keyFile = try invocation.text("key")
    guard connection.keyFile == nil || connection.certificateFile != nil else {
      throw UsageError("--key goes with --cert", at: invocation.option("key"))
    }
    if invocation.flag("insecure") { connection.isInsecure = true }
    connection.proxy = try proxy(invocation)
    connection.unixSocket = try invocation.text("unix-socket")
    if let count = connection.unixSocket?.utf8.count, !(1...107).contains(count) {
      throw UsageError(
        "the path of a socket has 1 to 107 bytes, and --unix-socket gives \(count)",
        help: count == 0
          ? "an empty variable? name the socket's file" : "name it from its folder, or by a link",
        at: invocation.option("unix-socket"))
    }
    guard connection.proxy == nil || connection.unixSocket == nil else {
      throw UsageError(
        "--proxy does not go with --unix-socket, which is connected to directly",
        help: "leave one of them out", at: invocation.option("proxy"))
    }
    if connection != APIConnectionSpec() { spec.connection = connection }
  }

  private static func proxy(_ invocation: Invocation) throws(UsageError) -> String? {
    guard let proxy = try invocation.text("proxy") else { return nil }
    guard ServiceAddress.isAddress(proxy) else {
      throw UsageError(
        "--proxy takes an address, not '\(proxy)'", help: "for example http://127.0.0.1:3128",
        at: invocation.option("proxy"))
    }
    if let problem = APIConnection.problem(ofProxy: proxy) {
      throw UsageError(
        "the address in --proxy cannot be used: \(problem)",
        help: "for example http://127.0.0.1:3128", at: invocation.option("proxy"))
    }
    return proxy
  }
}

extension APIConnection {
  /// What a line asks for.
  init(_ spec: APIConnectionSpec) {
    self.init()
    authorityFile = spec.authorityFile
    certificateFile = spec.certificateFile
    keyFile = spec.keyFile
    verifiesServer = spec.isInsecure != true
    proxy = spec.proxy
    unixSocket = spec.unixSocket
  }
}
