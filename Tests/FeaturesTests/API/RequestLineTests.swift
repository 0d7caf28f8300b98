import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardTesting
import Testing

@testable import SwiftBoardFeatures

/// The line that `api saved show` prints.
struct RequestLineTests {
  /// Draws requests that lines can make.
  private struct Generator {
    var random: SeededRandom

    private static let pieces =
      ["a", "B", "-", "--", " ", "\n", "\t", "\u{1b}", "\u{e9}", "\u{301}", "\u{1f600}"]
      + ["'", "\"", "\\", "\\\\", "$", "$v", "${", "{", "}", "{{", "}}", "[", "]"]
      + [":", "=", "==", "@", ";", ";type=", "&", ">", "<<A", "|", "#", "!", "*", "~", "?", "/"]

    mutating func flip() -> Bool { Bool.random(using: &random) }

    mutating func pick<Value>(_ values: [Value]) -> Value {
      values[Int.random(in: values.indices, using: &random)]
    }

    mutating func maybe<Value>(_ value: (inout Self) -> Value) -> Value? {
      flip() ? value(&self) : nil
    }

    /// Draws a text that is not empty.
    mutating func text() -> String {
      let text = (0..<Int.random(in: 1...4, using: &random)).map { _ in pick(Self.pieces) }.joined()
      // No typed value has a single `\` before a separator.
      var isOpen = false
      for scalar in text.unicodeScalars {
        if isOpen, Argument.escapedInValues.unicodeScalars.contains(scalar) { return self.text() }
        isOpen = scalar == "\\" && !isOpen
      }
      // No reference is typed as text.
      return text.contains("{{s") ? self.text() : text
    }

    mutating func template() -> SecretTemplate {
      let text = maybe { SecretTemplate.Part.text($0.text()) }.map { [$0] } ?? []
      let secret = maybe {
        SecretTemplate.Part.secret($0.pick(["k", "a b", "x'y", "\"", "$v", "\\"]))
      }
      return SecretTemplate(
        parts: text + (secret.map { [$0] + (maybe { [.text($0.text())] } ?? []) } ?? []))
    }

    mutating func items() -> [APIItem] {
      (0..<Int.random(in: 0...4, using: &random)).map { index in
        // The digit makes each name another one.
        let name = (maybe { $0.text() } ?? "") + "\(index)" + (maybe { $0.text() } ?? "")
        let scalars = name.unicodeScalars
        let isPath = scalars.contains { "[]".unicodeScalars.contains($0) } ? true : nil
        // Brackets that are text.
        let escaped = scalars.map { #"[]\"#.unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }
        let member = isPath == nil ? name : escaped.joined()
        switch pick([0, 1, 2, 3, 4, 5, 6, 7, 8]) {
        case 0: return APIItem(kind: .query, name: name, value: template())
        case 1:
          var header = APIItem(kind: .header, name: "X" + name, value: template())
          while header.hasControls { header.value = template() }
          return header
        case 2:
          return APIItem(kind: .text, name: member, value: template(), isPath: isPath)
        case 3:
          let json = pick([#""b:c\\:d\n""#, "1", #"{"a": [1, "x'y"]}"#, #""\"$v""#])
          return APIItem(
            kind: .json, name: member, value: SecretTemplate(json), isPath: isPath)
        case 4:
          return APIItem(
            kind: .file, name: name, value: SecretTemplate(text() + "f"), type: maybe { $0.text() })
        case 5: return APIItem(kind: .bodyFile, name: "", value: SecretTemplate(text()))
        case 6: return APIItem(kind: .emptyHeader, name: name, value: "")
        case 7:
          return APIItem(
            kind: .textFile, name: member, value: SecretTemplate(text()), isPath: isPath)
        default:
          return APIItem(
            kind: .jsonFile, name: member, value: SecretTemplate(text()), isPath: isPath)
        }
      }
    }

    mutating func request() -> APIRequestSpec {
      let method = pick(["GET", "POST", "HEAD", "PURGE", "X-1"])
      let target = pick([
        "s/a", "http://h/x?y=1", "http://h/{a}[1]", "s/a b'\"", "s/y?to=http://x", "s/$v;&>#",
        SecretTemplate(parts: [.text("s/"), .secret("k"), .text("/\\")]),
      ])
      var request = APIRequestSpec(
        method: method, isExplicit: method != "GET" || flip(), target: target)
      if target.text == "s/y?to=http://x" { request.isAtService = true }
      request.items = items()
      // Standard input is there once.
      while request.items.filter(\.readsInput).count > 1 { request.items = items() }
      request.cache = pick(CachePolicy.allCases)
      request.timeout = maybe { Int64.random(in: 1...100_000, using: &$0.random) }
      if flip() { (request.retries, request.added) = (pick([0, 3]), [.attempts]) }
      if flip() {
        (request.follow, request.added) = (pick([0, 5]), (request.added ?? []) + [.redirects])
      }
      if method == "HEAD" { request.shown = .headers }
      if flip() {
        var view = APIAnswerView()
        switch pick([0, 1, 2, 3, 4]) {
        case 0: view.shown = .headers
        case 1: view.shown = .body
        case 2: (view.shown, view.added) = (.verbose, [.request])
        case 3: (view.shown, view.added) = (.timing, [.timing])
        default: view.select = pick(["a.b", #"["x y"]"#, "results[0].name"])
        }
        view.isPretty = maybe { $0.flip() }
        request.show(view)
      }
      if request.select == nil, flip() {
        request.out = text() + "f"
        let mayResume = method == "GET" && !request.items.contains(where: \.readsInput)
        if mayResume, flip() { request.resumes = true }
      }
      request.compressedLimit = maybe { $0.pick([1, 1 << 30]) }
      request.captures = maybe { _ in
        [APICapture(name: "k", path: "body.t"), APICapture(name: "-l", path: "headers.a")]
      }
      let hasMembers = !request.items.contains { $0.kind == .bodyFile }
      switch pick([0, 1, 2, 3]) {
      case 0 where hasMembers: request.encoding = .form
      case 1 where hasMembers: request.encoding = .multipart
      case 2: request.jsonBody = template()
      default: break
      }
      request.authentication = maybe {
        $0.pick([
          .header(name: "X-Key", secret: "a b"), .query(name: "k", secret: "x'y"),
          .bearer(secret: "k"), .basic(user: "u", secret: "k"), .digest(user: "u", secret: "k"),
          .basic(user: "", secret: "k"), .digest(user: "a b=\u{e9}", secret: "k"),
        ])
      }
      var connection = APIConnectionSpec()
      connection.authorityFile = maybe { $0.text() }
      connection.certificateFile = maybe { $0.text() }
      if connection.certificateFile != nil { connection.keyFile = maybe { $0.text() } }
      connection.isInsecure = maybe { _ in true }
      if flip() {
        connection.proxy = pick(["http://p:1", "socks5h://[::1]:1080"])
      } else {
        connection.unixSocket = maybe { $0.text() }
      }
      if connection != APIConnectionSpec() { request.connection = connection }
      request.save = maybe { $0.text() }
      return request
    }
  }

  @Test("the line of a request makes the same request", arguments: 0..<20 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var generator = Generator(random: SeededRandom(seed: seed))
    for _ in 0..<50 {
      let request = generator.request()
      let line = request.line
      guard case .run(_, .request(let found))? = try action(line).api else {
        Issue.record("no request: \(line)")
        continue
      }
      #expect(found == request, "\(line)")
    }
  }

  @Test(
    "a word of the line has quotes and escapes only where it needs them",
    arguments: [
      ("api s/a", "api s/a"), ("api GET s/a", "api get s/a"), ("api PURGE s/a", "api PURGE s/a"),
      (#"api get s/a k\=x=1 'a;b=c' --raw"#, #"api get s/a k\=x=1 'a\;b=c' --raw"#),
      (
        #"api post s/a T:{{secret:k}} "U:a {{secret:k}}" n:=[1,2] 'e;' -- -x=1"#,
        #"api post s/a T:{{secret:k}} "U:a {{secret:k}}" n:=[1,2] 'e;' '-x=1'"#
      ),
      (
        "api post s/a --form -- --auth=x b=1 --raw=2",
        "api post s/a --form -- '--auth=x' b=1 '--raw=2'"
      ),
      (
        #"api head s/a --retry 0 --body a=\@b a2=\=b"#,
        #"api head s/a a=\@b a2=\=b --retry 0 --body"#
      ),
      (#"api get s/a "b=\n'" --save x"#, #"api get s/a "b=\n'" --save x"#),
      ("api get s/a --out '~/x'", "api get s/a --out '~/x'"),
    ])
  func words(typed: String, shown: String) throws {
    guard case .run(_, .request(let request))? = try action(typed).api else {
      Issue.record("no request: \(typed)")
      return
    }
    #expect(request.line == shown)
  }

  @Test("a literal secret that came from data is masked in the line")
  func masked() {
    var request = APIRequestSpec(
      method: "GET", isExplicit: true, target: "http://h/?token=hunter2")
    request.items = [
      APIItem(kind: .header, name: "Authorization", value: "hunter2"),
      APIItem(kind: .query, name: "apikey", value: "hunter2"),
    ]
    #expect(!request.line.contains("hunter2"), "\(request.line)")
  }
}
