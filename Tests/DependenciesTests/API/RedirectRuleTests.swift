import SwiftBoardSystem
import Testing

@testable import SwiftBoardDependencies

@Suite("redirect rules")
struct RedirectRuleTests {
  @Test(
    "another scheme is another place, in both directions, and so is another port",
    arguments: [
      ("https://h/a", "http://h/b"), ("http://h/a", "https://h/b"), ("http://h/a", "http://h:81/b"),
      ("https://h/a", "https://h.example/b"), ("https://h:8443/a", "https://h/b"),
    ])
  func places(from: String, to: String) throws {
    let request = APIRequest(
      method: "POST", url: from,
      headers: [HTTPHeader("X-Key", "k"), HTTPHeader("Cookie", "c"), HTTPHeader("X-Plain", "p")],
      body: Data("b".utf8), secretHeaders: ["x-key"])
    let (next, address) = try Redirect.next(
      request, status: 307, from: URLBuilder(from), to: URLBuilder(to))
    #expect(next.headers == [HTTPHeader("X-Plain", "p")])
    #expect(address.url == to && next.url == to)
    var secret = request
    secret.hasSecretBody = true
    let error = #expect(throws: APIError.self) {
      _ = try Redirect.next(secret, status: 307, from: URLBuilder(from), to: URLBuilder(to))
    }
    #expect(error?.kind == .redirectRefused)
  }

  @Test("conditions for a cached answer are about the first address; typed ones go along")
  func conditions() throws {
    let conditions = [HTTPHeader("If-None-Match", "\"1\""), HTTPHeader("If-Modified-Since", "d")]
    var request = APIRequest(url: "http://h/a", headers: [HTTPHeader("X-Plain", "p")] + conditions)
    let typed = try Redirect.next(
      request, status: 302, from: URLBuilder("http://h/a"), to: URLBuilder("http://h/b"))
    #expect(typed.request.headers == request.headers)
    request.confirmsCached = true
    let cached = try Redirect.next(
      request, status: 302, from: URLBuilder("http://h/a"), to: URLBuilder("http://h/b"))
    #expect(cached.request.headers == [HTTPHeader("X-Plain", "p")])
  }

  @Test("one place, however it is spelled, gets all of it")
  func spellings() throws {
    let request = APIRequest(
      method: "POST", url: "https://h/a", headers: [HTTPHeader("Authorization", "x")],
      body: Data("b".utf8), secretValues: ["hidden"], hasSecretBody: true)
    let (next, _) = try Redirect.next(
      request, status: 308, from: URLBuilder("https://h/a"),
      to: URLBuilder("HTTPS://H:443/b?k=hidden"))
    #expect(next.headers == request.headers)
    #expect(next.body == request.body)
    #expect(next.url == "https://h/b?k=hidden")
  }

  @Test(
    "a known secret that a service puts into the target is dropped, whatever the request has",
    arguments: [301, 302, 303], ["GET", "POST"])
  func known(status: Int, method: String) throws {
    let redactor = Redactor()
    redactor.registerSecret(Array("s3cret+value".utf8), name: "k")
    let (from, to) = (try URLBuilder("http://h/a"), "got=s3cret%2Bvalue&b=1&c=czNjcmV0K3ZhbHVl")
    let request = APIRequest(method: method, url: "http://h/a", body: Data("b".utf8))
    let (next, _) = try Redirect.next(
      request, status: status, from: from, to: URLBuilder("http://other/x?\(to)"), redactor)
    #expect(next.url == "http://other/x?b=1")
    let (same, _) = try Redirect.next(
      request, status: status, from: from, to: URLBuilder("http://h/x?\(to)"), redactor)
    #expect(same.url == "http://h/x?\(to)", "the same place gets all of it")
    let error = #expect(throws: APIError.self) {
      try Redirect.next(
        request, status: status, from: from, to: URLBuilder("http://other/s3cret+value"), redactor)
    }
    #expect(error?.kind == .redirectRefused && error?.message.contains("s3cret") == false)
  }

  @Test("a host whose name holds a secret is not asked, and not named")
  func host() throws {
    let request = APIRequest(url: "http://h/a", secretValues: ["HiddenValue", "h2"])
    let error = #expect(throws: APIError.self) {
      _ = try Redirect.next(
        request, status: 302, from: URLBuilder("http://h/a"),
        to: URLBuilder("http://HiddenValue.example/b"))
    }
    #expect(error?.kind == .redirectRefused)
    #expect(error?.message.lowercased().contains("hidden") == false)
    let (next, _) = try Redirect.next(
      request, status: 302, from: URLBuilder("http://h/a"), to: URLBuilder("http://h2/b"))
    #expect(next.url == "http://h2/b", "a word of two letters is there by chance")
  }

  @Test(
    "a secret that extends over several parts of the target is not followed, and no part is named",
    arguments: [
      ("pass&word99xyz", "http://other/?q=pass&word99xyz", "http://other "),
      ("pass&word99xyz", "http://other/?q=pass%26word99xyz&b=1", nil),
      ("SecTok9?XYZend1", "http://other/SecTok9?XYZend1", "http://other "),
      ("SecTok9?XYZend1", "http://other/b?q=SecTok9?XYZend1", nil),
      ("other/ret99xyzABC", "http://other/ret99xyzABC", "another host"),
      ("Zq7/k+\u{e9}\"w&Sx=12", "http://Zq7/k+\u{e9}\"w&Sx=12.invalid/", "another host"),
      ("tok#en99xyzABC", "http://other/tok#en99xyzABC", "http://other "),
      ("tok#en99xyzABC", "http://other/b?q=tok%23en99xyzABC#tok", nil),
      ("dot/../dot99", "http://other/dot/../dot99", "http://other "),
      ("dot/dot99", "http://other/dot/x/../dot99", "http://other "),
      ("other:81/dot", "HTTP://OTHER:81/dot", "another host"),
      ("Zq7AbC/dEf9999", "http://zq7abc/dEf9999", "another host"),
      ("ZQ7abc/DEF9999", "http://other/b?x=1#zq7abc/def9999", nil),
      ("hidden-value", "http://other/b?x=1#token=hidden-value", nil),
      ("pass&word99xyz", "http://other/b?x=1#t=pass&word99xyz", nil),
    ] as [(String, String, String?)])
  func parts(secret: String, location: String, shown: String?) throws {
    let known = Redactor()
    known.registerSecret(Array(secret.utf8), name: "k")
    let from = try URLBuilder("http://h/a")
    for (value, redactor) in [("", known), (secret, Redactor())] {
      let request = APIRequest(url: from.url, secretValues: [value])
      let next = {
        try Redirect.next(
          request, status: 302, from: from, to: URLBuilder(location), location: location, redactor)
      }
      guard let shown else {
        let url = try next().address.url
        #expect(["http://other/b?x=1", "http://other/b", "http://other/?b=1"].contains(url))
        continue
      }
      let error = #expect(throws: APIError.self) { try next() }
      #expect(error?.kind == .redirectRefused)
      #expect(error?.message.contains("to \(shown)") == true)
      for part in secret.split(whereSeparator: { "&?/#+:".contains($0) })
      where part.count > 2 && part != "other" {
        #expect(error?.message.contains(part) == false)
      }
    }
  }

  @Test(
    "a target that cannot be used and holds a secret is not shown",
    arguments: [
      ("Zq7+k/abcdef99", "http://Zq7+k/abcdef99"), ("Zq7+k/abcdef99", "http://zq7+k/abcdef99"),
      ("Zq7u:pass99xyz", "Zq7u:pass99xyz"), ("Zq7+kabcdef99", "//Zq7%2Bkabcdef99/"),
      (String(repeating: "Zq7+k/ab", count: 11), "//" + String(repeating: "Zq7+k/ab", count: 11)),
    ])
  func unusable(secret: String, location: String) throws {
    let known = Redactor()
    known.registerSecret(Array(secret.utf8), name: "k")
    let head = try #require(
      ResponseHead(Array("HTTP/1.1 302 Found\r\nLocation: \(location)\r\n\r\n".utf8)))
    let from = try URLBuilder("http://h/a")
    for (value, redactor) in [("", known), (secret, Redactor())] {
      let error = #expect(throws: APIError.self) {
        try Redirect.target(of: head, from: from, [value], redactor)
      }
      #expect(error?.kind == .redirectRefused)
      #expect(error?.message.lowercased().contains("zq7") == false)
    }
    let other = #expect(throws: APIError.self) {
      try Redirect.target(of: head, from: from, [], Redactor())
    }
    #expect(other?.kind == .malformed)
  }

  @Test("what holds a secret in another form stays behind, or is not followed")
  func forms() throws {
    let secret = "hidden+value/1"
    let bytes = Array(secret.utf8)
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    let base64 = Data(bytes).base64EncodedString()
    let pair = Data("me:\(secret)".utf8).base64EncodedString()
    let forms = [
      hex, hex.uppercased(), base64, pair, PercentEncoding.encoded(base64),
      base64.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" },
      PercentEncoding.encoded(PercentEncoding.encoded(pair)),
      Data("a-long-prefix \(secret) and more".utf8).base64EncodedString(),
    ]
    let request = APIRequest(url: "http://h/a", secretValues: [secret, "ab"])
    let from = try URLBuilder("http://h/a")
    for form in forms {
      let (next, _) = try Redirect.next(
        request, status: 302, from: from, to: URLBuilder("http://o/b?x=1&k=\(form)&n\(form)=2"))
      #expect(next.url == "http://o/b?x=1", "\(form)")
      let error = #expect(throws: APIError.self, "\(form)") {
        _ = try Redirect.next(
          request, status: 302, from: from, to: URLBuilder("http://o/b/\(form)/c"))
      }
      #expect(error?.kind == .redirectRefused)
      #expect(error?.message.contains(form) == false)
    }
    for host in [hex, base64.filter { $0 != "=" && $0 != "/" && $0 != "+" }]
    where base64.contains(host) || host == hex {
      #expect(throws: APIError.self, "\(host)") {
        _ = try Redirect.next(
          request, status: 302, from: from, to: URLBuilder("http://\(host).example/"))
      }
    }
    // A value of two bytes is in base64 by chance.
    let (next, _) = try Redirect.next(
      request, status: 302, from: from, to: URLBuilder("http://o/b?k=YWI%3D&l=cab&m=ab"))
    #expect(next.url == "http://o/b?k=YWI%3D&l=cab")
  }
}
