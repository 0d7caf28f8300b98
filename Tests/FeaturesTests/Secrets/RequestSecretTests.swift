import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardSystem
import Testing

/// What the HTTP client is told of the secrets in a request, so that none follows a redirect to
/// another host.
@Suite("Secrets of a request")
struct RequestSecretTests {
  let world = World(MockKeychainService(entries: ["k": Data("hidden-value\n".utf8)]))

  private func sent(_ lines: String...) throws -> APIRequest {
    world.api.answer { _ in .json("{}") }
    for printed in try run(lines, in: world) { #expect(printed.status == 0, "\(printed.errors)") }
    return try #require(world.api.requests.last)
  }

  @Test(
    "a reference in a member makes the body secret, and so does a known value in a file",
    arguments: [
      ("api post http://h/x a={{secret:k}}", true), ("api put http://h/x a=x-{{secret:k}}", true),
      ("api post http://h/x a=1 b@file", true), ("api post http://h/x @file", true),
      ("api post http://h/x a=1 b@other", false), ("api post http://h/x @other", false),
      ("api post http://h/x a=1 key=={{secret:k}} X-A:{{secret:k}}", false),
    ])
  func bodies(line: String, isSecret: Bool) async throws {
    try await world.files.write(Data("hidden-value".utf8), to: "file", mode: .create)
    try await world.files.write(Data("another-value".utf8), to: "other", mode: .create)
    world.logger.redactor.registerSecret(Array("hidden-value".utf8), name: "k")
    let request = try sent(line)
    #expect(request.hasSecretBody == isSecret)
    #expect(request.secretValues == (line.contains("{{") ? ["hidden-value"] : []))
    if line.contains("post http://h/x a={{") {
      #expect(request.body == Data(#"{"a":"hidden-value\n"}"#.utf8), "the exact bytes")
    }
  }

  @Test("in the target, the query and headers")
  func elsewhere() throws {
    #expect(try sent("api get http://h/{{secret:k}}/x").secretValues == ["hidden-value"])
    #expect(try sent("api get http://h/x?a={{secret:k}}").secretValues == ["hidden-value"])
    #expect(try sent("api get http://h/x a=={{secret:k}}").secretValues == ["hidden-value"])
    let header = try sent("api get http://h/x X-A:{{secret:k}} X-B:plain")
    #expect(header.secretValues == ["hidden-value"])
    #expect(header.secretHeaders == ["X-A"])
    #expect(try sent("api get http://h/x X-B:plain").secretValues == [])
  }

  @Test(
    "a secret in the name of a host or of a service is refused before anything is sent",
    arguments: [
      "http://{{secret:k}}/", "http://{{secret:k}}.h/x", "http://a.{{secret:k}}", "{{secret:k}}/x",
      "http://h:{{secret:k}}/", "{{secret:k}}", "http://h{{secret:k}}/?", "s{{secret:k}}/x",
    ])
  func hosts(target: String) throws {
    let printed = try run("api get \(target) --cache noCache", in: world)
    #expect(printed.status == 64, "\(printed.errors)")
    #expect(printed.errors.contains("a secret cannot be part of a host name"))
    #expect(printed.errors.contains("put it into the path, the query or a header"))
    #expect(!printed.errors.contains("hidden-value"))
    #expect(world.api.requests.isEmpty)
  }

  @Test("a secret in an address neither ends the path nor adds a query item")
  func delimiters() throws {
    let world = World(MockKeychainService(entries: ["k": Data("a#b&c=/d%e+f?".utf8)]))
    world.api.answer { _ in .json("{}") }
    _ = try run(
      ["api get http://h/{{secret:k}}/z", "api get http://h/?q={{secret:k}}&y=1"], in: world)
    #expect(
      world.api.requests.map(\.url) == [
        "http://h/a%23b&c=/d%25e+f%3F/z", "http://h/?q=a%23b%26c%3D%2Fd%25e%2Bf%3F&y=1",
      ])
  }

  @Test("a secret that looks like an address is none, and stays in the path")
  func addressAsSecret() throws {
    let world = World(MockKeychainService(entries: ["k": Data("http://o/".utf8)]))
    world.api.answer { _ in .json("{}") }
    let printed = try run(
      ["api service add s http://h", "api get s/x?u={{secret:k}}", "api get http:/{{secret:k}}"],
      in: world)
    #expect(world.api.requests.map(\.url) == ["http://h/x?u=http%3A%2F%2Fo%2F"])
    #expect(printed.last?.status == 66)
  }

  @Test(
    "of a service",
    arguments: [
      ("header:X-Key={{secret:k}}", ["hidden-value"], true),
      ("query:key={{secret:k}}", ["hidden-value"], false),
      ("bearer:{{secret:k}}", ["hidden-value"], false),
      (
        "basic:me:{{secret:k}}", ["bWU6aGlkZGVuLXZhbHVl", "hidden-value", "me:hidden-value"], false
      ),
    ])
  func services(authentication: String, values: [String], isHeader: Bool) throws {
    let request = try sent(
      "api service add s http://h --auth \(authentication)", "api get s/x")
    #expect(request.secretValues.sorted() == values)
    #expect(request.secretHeaders == (isHeader ? ["X-Key"] : []))
    #expect(!request.hasSecretBody)
  }

  @Test(
    "what the server did wrong is not asked for again",
    arguments: [
      APIError.Kind.tls, .malformed, .tooManyRedirects, .redirectRefused, .tooLarge, .io,
    ])
  func retries(kind: APIError.Kind) throws {
    world.api.answer("GET", "http://h/x", with: .failure(APIError(kind, "no")), .json("1"))
    let printed = try run("api get http://h/x --retry 3", in: world)
    #expect(printed.status != 0)
    #expect(world.api.requests.count == 1)
  }
}
