import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardFeatures
import SwiftBoardJSON
import Testing

@Suite("-v")
struct VerboseTests {
  let world = World()

  @Test("-v: the heads of request and answer on standard error; the answer itself stays as it is")
  func verbose() async throws {
    world.api.answer("POST", "http://rm.test/c", with: .json("[1]"))
    let line = "api post http://rm.test/c name=x X-Trace:7 Authorization:{{secret:radarr}}"
    var settings = BoardSettings()
    let plain = try run(line, in: world, settings: settings)
    #expect(!plain.errors.contains("> ") && !plain.errors.contains("< "))
    settings.isVerbose = true
    let printed = try run(line, in: world, settings: settings)
    #expect(printed.output == plain.output)
    #expect(printed.errors.hasSuffix(plain.errors))
    let heads = printed.errors.split(separator: "\n").map(String.init)
    #expect(heads.first == "> POST http://rm.test/c")
    for line in [
      "> X-Trace: 7", "> Authorization: «secret:radarr»", "> User-Agent: swiftboard",
      "> Content-Type: application/json", "< HTTP/1.1 200", "< Content-Type: application/json",
    ] { #expect(heads.contains(line), "\(line) in \(printed.errors)") }
    // Behind a command it is the command's alone.
    let lines = Lines(world)
    #expect(await lines.run("api post http://rm.test/c name=x; api post http://rm.test/c -v") == 0)
    #expect(lines.allPrinted.ranges(of: "HTTP/1.1 200\n").count == 1)
    #expect(await lines.run("db stats -v") == 64)
    settings.isQuiet = true
    #expect(try run(line, in: world, settings: settings).errors == "")
  }

  @Test("--verbose shows what was sent as well")
  func verboseAnswer() throws {
    world.api.answer("GET", "http://rm.test/c", with: .json("[1]"))
    let printed = try run("api get http://rm.test/c X-Trace:7 --verbose", in: world)
    #expect(
      printed.output == """
        GET http://rm.test/c
        X-Trace: 7
        Accept: application/json, */*;q=0.5
        User-Agent: swiftboard

        HTTP/1.1 200
        Content-Type: application/json

        [
          1
        ]

        """)
  }

  @Test("--verbose shows the body that was sent, with secrets by their names")
  func verboseBody() throws {
    world.api.answer { _ in .json("[1]") }
    let line = "api post http://rm.test/c name=x key={{secret:radarr}} -v"
    let printed = try run(line, in: world)
    #expect(printed.status == 0, "\(printed.errors)")
    #expect(!printed.output.contains("s3cr3t"), "\(printed.output)")
    let body = try #require(
      printed.output.components(separatedBy: "\n\n").dropFirst().first, "\(printed.output)")
    #expect(try JSON(parsing: body) == ["name": "x", "key": "«secret:radarr»"])
    let value = try JSON(
      parsing: run(line, in: world, settings: .output(.json)).output)["value"]?["request"]
    #expect(value?["body"] == ["name": "x", "key": "«secret:radarr»"])
    #expect(value?["bytes"]?.intValue ?? 0 > 0)
  }

  @Test("--verbose names a body that is no text by its size, and one with a short secret")
  func verboseBinaryBody() async throws {
    let world = World(MockKeychainService(entries: ["pin": Data("1234".utf8)]))
    world.api.answer { _ in .json("[1]") }
    try await world.files.write(Data([0xFF, 0]), to: "f", mode: .create)
    let file = try run("api post http://rm.test/c @f -v", in: world)
    #expect(file.output.contains("\n\n(2 bytes, not shown)\n\nHTTP/1.1 200\n"), "\(file.output)")
    let pin = try run("api post http://rm.test/c --form pin={{secret:pin}} -v", in: world)
    #expect(pin.output.contains("\n\n(8 bytes, not shown)\n\n"), "\(pin.output)")
    #expect(!pin.output.contains("1234"), "\(pin.output)")
  }

  @Test("--verbose has one empty line behind a body that ends with a line of its own")
  func verboseLines() async throws {
    world.api.answer { _ in .json("[1]") }
    for end in ["", "\n", "\r\n"] {
      try await world.files.write(Data("a\(end)".utf8), to: "f", mode: .replace)
      let printed = try run("api post http://rm.test/c @f -v", in: world)
      #expect(printed.status == 0, "\(printed.errors)")
      // Bytes: CR LF is one character.
      let lines = printed.output.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        .map { String(Substring($0)) }
      let answer = try #require(
        lines.firstIndex { $0.hasPrefix("HTTP/1.1 200") }, "\(printed.output)")
      #expect(
        lines[answer - 1].isEmpty && lines[answer - 2].utf8.first == UInt8(ascii: "a"), "\(lines)")
    }
  }

  @Test("--verbose names a body of more than 64 KiB by its size, and shows one in parts")
  func verboseLargeBody() async throws {
    world.api.answer { _ in .json("[1]") }
    for (count, isShown) in [(64 << 10, true), ((64 << 10) + 1, false)] {
      // A text of JSON has two quotes.
      let text = String(repeating: "a", count: count - 2)
      let printed = try run(
        "api post http://rm.test/c --json-body '\"\(text)\"' -v", in: world)
      #expect(printed.status == 0, "\(printed.errors.prefix(200))")
      #expect(printed.output.contains("aaa") == isShown, "\(count)")
      #expect(printed.output.contains(" bytes, not shown)") == !isShown, "\(count)")
    }
    try await world.files.write(Data("abc".utf8), to: "f", mode: .replace)
    let parts = try run("api post http://rm.test/c f@f -v", in: world)
    #expect(parts.status == 0, "\(parts.errors)")
    #expect(parts.output.contains("abc") && parts.output.contains("form-data"))
  }
}
