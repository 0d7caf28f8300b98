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
    ])
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
    #expect(!proxy.isWellFormed)
    for url in ["http://u:p%23@h:1", "h:1", "socks5://h", "u:p@h:1"] {
      #expect(UsedProxy(url: url, variable: nil).isWellFormed, "\(url)")
    }
    for url in ["http://u:p#@h:1", "u:a/b@h:1", "ftp://h:1"] {
      #expect(!UsedProxy(url: url, variable: nil).isWellFormed, "\(url)")
    }
  }
}
