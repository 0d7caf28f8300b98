import SwiftBoardDependencies
import Testing

struct URLBuilderTests {
  @Test(
    "an address is normalised",
    arguments: [
      ("HTTP://Example.COM:80", "http://example.com/"),
      ("https://h:443/a/./b/../c", "https://h/a/c"),
      ("http://h:8080?x=1#part", "http://h:8080/?x=1"),
      ("http://h/a b/ü?q=a b", "http://h/a%20b/%C3%BC?q=a%20b"),
      ("http://h/100%/%zz/%2f", "http://h/100%25/%25zz/%2f"),
      ("http://[::1]:8989/api", "http://[::1]:8989/api"),
      ("http://[FE80::1%25Eth0]:1/", "http://[fe80::1%25Eth0]:1/"),
      ("http://[fe80::1%lo]", "http://[fe80::1%25lo]/"),
      ("http://h:/x", "http://h/x"),
      ("http://h/../../x/..", "http://h/"),
      ("http://h/a/%2e%2E/b", "http://h/b"),
      ("http://h/a//b/", "http://h/a//b/"),
      ("http://h/?", "http://h/?"),
    ])
  func isNormalised(text: String, url: String) throws {
    #expect(try URLBuilder(text).url == url)
    // What was normalized stays as it is.
    #expect(try URLBuilder(url).url == url)
  }

  @Test("query items are encoded completely") func encodesItemsCompletely() throws {
    let url = try URLBuilder("http://h/a?k=1").appending(query: [
      QueryItem("a b", "c&d=e+f/?"), QueryItem("flag", nil), QueryItem("~-._", "ü"),
    ])
    #expect(url.url == "http://h/a?k=1&a%20b=c%26d%3De%2Bf%2F%3F&flag&~-._=%C3%BC")
  }

  @Test(
    "spellings of one address have one key",
    arguments: [
      ("http://H/%7euser?a=%2f", "http://h:80/~user?a=%2F"), ("http://h", "http://h/"),
    ])
  func spellingsOfOneAddressHaveOneKey(left: String, right: String) throws {
    #expect(try URLBuilder(left).cacheKey == URLBuilder(right).cacheKey)
  }

  @Test("the order of a query is part of the key") func theOrderOfAQueryIsPartOfTheKey() throws {
    let left = try URLBuilder("http://h/?a=1&b=2").cacheKey
    #expect(left != (try URLBuilder("http://h/?b=2&a=1").cacheKey))
  }

  @Test(
    "references are resolved",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("", "http://a/b/c/d;p?q"),
      (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../g", "http://a/b/g"),
      ("../../../g", "http://a/g"), ("g;x=1/../y", "http://a/b/c/y"),
      ("https://x:1/", "https://x:1/"),
    ])
  func resolvesReferences(reference: String, url: String) throws {
    #expect(try URLBuilder("http://a/b/c/d;p?q").resolving(reference).url == url)
  }

  @Test(
    "the address of a service says what to write for a space or a control character",
    arguments: [
      ("http://h/a b", "a space; write it as %20"),
      ("http://h/\u{1B}[2J", "a control character; write it as %1B"),
      ("http://h/\t", "a control character; write it as %09"),
      ("http://h/\u{7F}", "a control character; write it as %7F"),
    ])
  func escapes(address: String, advice: String) {
    #expect(ServiceAddress.problem(address) == "the address has \(advice)")
  }

  @Test(
    "the address of a service has neither a fragment nor a secret, to which paths were appended",
    arguments: [
      (
        "http://h/#\u{301}f",
        "no fragment: leave out the '#' and what follows it, which is never sent"
      ),
      (
        "http://h/x?apikey=\u{301}",
        "no secret: leave 'apikey' out, and name a stored secret in the authentication"
      ),
      (
        "http://h/x?a=b&api%5Fkey=s",
        "no secret: leave 'api_key' out, and name a stored secret in the authentication"
      ),
      ("http://h/x?a=b&apikey=", nil), ("http://h/apikey=s", nil),
    ])
  func serviceAddress(address: String, advice: String?) {
    #expect(
      ServiceAddress.problem(ofService: address)
        == advice.map { "the address of a service has \($0)" })
  }

  @Test(
    "what is not an address is refused with advice",
    arguments: [
      ("", APIError.Kind.invalidURL, "http://"), ("h/path", .invalidURL, "http://"),
      ("mailto:x", .invalidURL, "http://"), ("ftp://h", .unsupportedScheme, "http"),
      ("http://u:secret@h/", .invalidURL, "authentication"), ("http://:80/", .invalidURL, "host"),
      ("http://h:0/", .invalidURL, "65535"), ("http://h:+1/", .invalidURL, "65535"),
      ("http://a%41/", .invalidURL, "character"), ("http://[::1/", .invalidURL, "character"),
      ("http://[fe80::1%25]/", .invalidURL, "character"),
      ("http://[fe80::1%25a%2f]/", .invalidURL, "character"),
      ("http://h\\evil/", .invalidURL, "character"), ("http://h/\u{0}", .invalidURL, "control"),
    ])
  func refusesWithAdvice(text: String, kind: APIError.Kind, advice: String) throws {
    let error = #expect(throws: APIError.self) { try URLBuilder(text) }
    #expect(error?.kind == kind)
    #expect(error?.message.contains(advice) == true)
    #expect(error?.message.contains("secret") == (advice == "authentication"))
    #expect(error?.message.contains("u:secret") == false)
  }
}
