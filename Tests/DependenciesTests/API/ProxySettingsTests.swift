import Testing

@testable import SwiftBoardDependencies

struct ProxySettingsTests {
  private func proxy(
    _ url: String, _ variables: [String: String], _ connection: APIConnection = APIConnection()
  ) throws -> String? {
    try ProxySettings { variables[$0] }.proxy(for: URLBuilder(url), connection)?.description
  }

  @Test("the variable of the scheme precedes that of both, and the request precedes both")
  func variables() throws {
    let plain = ["http_proxy": "a:1", "HTTPS_PROXY": "http://b:2", "all_proxy": "socks5://c:3"]
    #expect(try proxy("http://h/", plain) == "http://a:1 (http_proxy)")
    #expect(try proxy("https://h/", plain) == "http://b:2 (HTTPS_PROXY)")
    #expect(try proxy("http://h/", ["ALL_PROXY": "c:3"]) == "http://c:3 (ALL_PROXY)")
    #expect(try proxy("http://h/", ["HTTP_PROXY": "a:1", "https_proxy": "b:2"]) == nil)
    var connection = APIConnection()
    connection.proxy = "SOCKS5h://d:4"
    #expect(try proxy("http://h/", plain, connection) == "socks5h://d:4")
    connection.unixSocket = "s"
    #expect(try proxy("http://h/", plain, connection) == nil)
  }

  @Test(
    "a host that no_proxy names is reached without a proxy",
    arguments: [
      ("h", "h", true), ("*", "h", true), ("other, H.", "h", true), ("h", "x.h", true),
      (".h", "x.h", true), (".h", "h", true), ("h", "xh", false), ("x.h", "h", false),
      ("h", "h.", true), ("", "h", false), (",", "h", false), (".", "h", false),
      ("[::1]", "[::1]", true), ("::1", "[::1]", true), ("0:0::1", "[::1]", true),
      ("fe80::1", "[fe80::1%25lo]", true), ("::2", "[::1]", false),
      ("2001:db8::/32", "[::1]", false),
      ("2001:db8::/32", "[2001:db8:1::1]", true), ("127.0.0.1", "127.0.0.1", true),
      ("127.0.0.1", "127.1", true), ("10.0.0.0/8", "10.1.2.3", true),
      ("10.0.0.0/9", "10.200.2.3", false), ("10.0.0.0/x", "10.0.0.0", false),
      ("10.0.0.0/33", "10.0.0.0", false), ("0.0.0.0/0", "10.0.0.1", true),
      ("0.1", "127.0.0.1", false),
      ("::/0", "127.0.0.1", false),
    ] as [(String, String, Bool)])
  func exceptions(list: String, host: String, isDirect: Bool) throws {
    for name in ["no_proxy", "NO_PROXY"] {
      let found = try proxy("http://\(host)/", ["http_proxy": "p:1", name: list])
      #expect((found == nil) == isDirect)
    }
  }

  @Test(
    "the description of a proxy has its address without a user and a password",
    arguments: [
      ("p:1", "http://p:1"), ("u:w@p:1", "http://p:1"), ("HTTPS://u:a@b/c@p:1/x?y", "https://p:1"),
      ("socks5://u@[::1]:1080/", "socks5://[::1]:1080"),
    ])
  func description(url: String, text: String) {
    #expect(UsedProxy(url: url, variable: nil).description == text)
    #expect(UsedProxy(url: url, variable: "v").description == "\(text) (v)")
  }

  @Test("a password that contains what ends a scheme is not shown, and is no part of an address")
  func oddPasswords() {
    let proxy = UsedProxy(url: "us3r:pas://sw0rd@127.0.0.1:1", variable: "http_proxy")
    #expect(proxy.description == "http://127.0.0.1:1 (http_proxy)")
    #expect(proxy.problem != nil)
  }

  @Test(
    "an address that a proxy can have has no problem",
    arguments: [
      "http://u:p%23@h:1", "h:1", "h", "socks5://h", "SOCKS://h:65535", "u:p@h:1", "u:p@x@h:1",
      "http://h:1/path?x#y", "[::1]", "http://[fe80::1%25lo]:3128", "http://h:",
    ])
  func usable(url: String) { #expect(UsedProxy(url: url, variable: nil).problem == nil) }

  @Test(
    "what is wrong with the address of a proxy is said without any part of it",
    arguments: [
      ("ftp://hunter2:1", "its scheme"), ("httpx://hunter2", "its scheme"),
      ("hunter2:x", "its port"), ("hunter2:0", "its port"),
      (":99999", "its port"), ("hunter2:65536", "its port"), ("hunter2:-1", "its port"),
      ("hunter2:\u{661}", "its port"), ("socks5://[::1]:hunter2", "its port"),
      ("http://u:hunter2", "its port"), ("http://u:hunter2#@h:1", "its user name or password"),
      ("u:hunter2/b@h:1", "its user name or password"), ("http://", "it has no host"),
      ("u:hunter2@:1", "it has no host"), ("/hunter2", "it has no host"),
      ("http://hunter2 :1", "it has a blank"), ("hunter2\n:1", "it has a blank"),
      ("http://[::1", "its host"), ("[::1]hunter2:1", "its host"), ("::1", "its host"),
      ("hunter2,h:1", "its host"), ("hunter2\u{fc}:1", "its host"),
    ])
  func unusable(url: String, problem: String) {
    let found = UsedProxy(url: url, variable: nil).problem
    #expect(found?.hasPrefix(problem) == true, "\(found ?? "")")
    #expect(found?.contains("hunter2") != true)
  }
}
