import SwiftBoardSystem
import Testing

@testable import SwiftBoardDependencies

/// A secret with everything that some encoding changes.
let awkward = #"p@ss/w"ö\rd+ =?~ÿ𝄞"# + "\n\tx"

/// The forms in which a value may turn up in text.
func forms(of value: String) -> [(name: String, text: String)] {
  let bytes = Array(value.utf8)
  func percent(_ keep: (UInt8) -> Bool, upper: Bool) -> String {
    bytes.map { byte in
      keep(byte)
        ? String(UnicodeScalar(byte))
        : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: upper)
    }.joined()
  }
  func format(hex byte: UInt8, uppercase: Bool) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: uppercase)
  }
  func isUnreserved(_ byte: UInt8) -> Bool {
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8.contains(byte)
  }
  func json(slash: Bool, ascii: Bool, upper: Bool) -> String {
    value.unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\"": return "\\\""
      case "\\": return "\\\\"
      case "\n": return "\\n"
      case "\t": return "\\t"
      case "/" where slash: return "\\/"
      case _ where scalar.value >= 0x80 && ascii:
        return String(scalar).utf16.map { unit in
          let digits = String(unit, radix: 16, uppercase: upper)
          return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
      default: return String(scalar)
      }
    }.joined()
  }
  func base64(_ prefix: String, _ suffix: String, url: Bool) -> String {
    let text = Data(Array(prefix.utf8) + bytes + Array(suffix.utf8)).base64EncodedString()
    guard url else { return text }
    return String(
      text.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }
  var forms = [
    ("raw", value),
    ("percent upper", percent(isUnreserved, upper: true)),
    ("percent lower", percent(isUnreserved, upper: false)),
    ("percent all", percent({ _ in false }, upper: true)),
    ("percent lenient", percent({ isUnreserved($0) || "@/?=+".utf8.contains($0) }, upper: true)),
    (
      "form",
      percent({ isUnreserved($0) || $0 == 0x20 }, upper: true)
        .replacingSpaces(with: "+")
    ),
    ("json", json(slash: false, ascii: false, upper: false)),
    ("json slashes", json(slash: true, ascii: false, upper: false)),
    ("json ascii lower", json(slash: true, ascii: true, upper: false)),
    ("json ascii upper", json(slash: false, ascii: true, upper: true)),
    ("hex", bytes.map { format(hex: $0, uppercase: false) }.joined()),
    ("hex upper", bytes.map { format(hex: $0, uppercase: true) }.joined()),
    ("json in json", json(slash: false, ascii: false, upper: false).jsonEscapedOnce()),
  ]
  for url in [false, true] {
    for prefix in ["", "u", "us", "user:"] {
      for suffix in ["", ":x", "::x"] {
        forms.append(("base64 \(prefix)|\(suffix) url \(url)", base64(prefix, suffix, url: url)))
      }
    }
  }
  return forms
}

extension String {
  fileprivate func replacingSpaces(with text: String) -> String {
    map { $0 == " " ? text : String($0) }.joined()
  }

  fileprivate func jsonEscapedOnce() -> String {
    map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
  }
}

struct RedactorByValueTests {
  @Test(
    "rule 2: every form of a value becomes its mark, and nothing else changes",
    arguments: [awkward, "hunter2-hunter2", "abcdef", "é1é2", "4f6e8ac1d0b24c7f9a3e5d7c9b1f0a2e"])
  func everyForm(value: String) {
    let redactor = Redactor()
    redactor.registerSecret(Array(value.utf8), name: "radarr")
    for (name, text) in forms(of: value) {
      let masked = redactor.mask("before <\(text)> after")
      let redacted = masked.value
      #expect(masked.names == ["radarr"], "\(name)")
      #expect(redacted.contains("«secret:radarr»"), "\(name): \(text) -> \(redacted)")
      #expect(redacted.hasPrefix("before <"), "\(name)")
      #expect(redacted.hasSuffix("> after"), "\(name)")
      if !name.hasPrefix("base64") {
        #expect(redacted == "before <«secret:radarr»> after", "\(name)")
      }
      #expect(redactor.mask(redacted).value == redacted, "\(name): twice")
      #expect(redactor.redact("before <\(text)> after") == redacted, "\(name): at a sink")
    }
  }

  @Test(
    "rule 2: a value in lower case, as in the name of a host, is masked in our own texts alone",
    arguments: ["Hunter2-HUNTER", "\u{C9}t\u{C9}-2024-\u{130}", "alllowercase"])
  func lowercase(value: String) {
    let redactor = Redactor()
    redactor.registerSecret(Array(value.utf8), name: "radarr")
    for (name, text) in forms(of: value) where text.lowercased() != text {
      if name.hasPrefix("raw") || name.hasPrefix("base64") {
        let own = "before <\(text.lowercased())> after"
        #expect(redactor.mask(own).names.isEmpty, "\(name): \(own)")
        #expect(redactor.redact(own).contains("«secret:radarr»"), "\(name): \(own)")
        #expect(redactor.mask(address: own).value == redactor.redact(own), "\(name): \(own)")
      }
    }
    redactor.registerSecret(Array(value.lowercased().utf8), name: "other")
    let name = value == value.lowercased() ? "radarr" : "other"
    #expect(redactor.mask(value.lowercased()).names == [name], "a value of its own is one")
  }

  /// Every part of the encoded text that depends on the secret goes: only whole groups of the
  /// neighbours are left.
  @Test("base64 leaves no bits") func base64LeavesNoBits() {
    for prefix in ["", "a", "ab", "abc"] {
      for suffix in ["", "z", "yz", "xyz"] {
        var rest: Set<String> = []
        for secret in ["kX9#mQ2$", "ZZZZZZZZ", "00000000", "\u{7F}\u{1}~\u{2}}\u{3}|\u{4}"] {
          let redactor = Redactor()
          redactor.registerSecret(Array(secret.utf8), name: "s")
          rest.insert(
            redactor.redact(Data((prefix + secret + suffix).utf8).base64EncodedString()))
        }
        #expect(rest.count == 1, "\(prefix) \(suffix): \(rest)")
      }
    }
  }

  @Test("a value of any bytes is masked") func binaryValues() {
    let redactor = Redactor()
    let value: [UInt8] = [0xFF, 0x00, 0xFE, 0x41, 0x42, 0x43, 0x44, 0x80]
    redactor.registerSecret(value, name: "key file")
    #expect(
      redactor.mask([0x20] + value + [0x20]).value
        == [0x20] + Array("«secret:key file»".utf8) + [0x20])
    #expect(redactor.redact(String(decoding: value, as: UTF8.self)) == "«secret:key file»")
  }

  @Test("final newline is not needed") func finalNewlineIsNotNeeded() {
    let redactor = Redactor()
    redactor.registerSecret(Array("abcdef\n".utf8), name: "s")
    #expect(redactor.redact("x=abcdef;") == "x=«secret:s»;")
  }

  @Test("blanks around a value are not needed, which HTTP removes from a header")
  func blanksAroundValue() {
    let redactor = Redactor()
    redactor.registerSecret(Array(" \tlead-token \n".utf8), name: "s")
    for text in ["lead-token", " \tlead-token", "lead-token \n", " \tlead-token \n"] {
      #expect(redactor.redact("x=\(text);").contains("«secret:s»"))
      #expect(!redactor.redact("x=\(text);").contains("lead"))
    }
  }

  @Test("rule 2: a value of fewer than six bytes is not looked for")
  func shortValuesAreNotRegistered() {
    let redactor = Redactor()
    redactor.registerSecret(Array("abcde".utf8), name: "s")
    redactor.registerSecret([], name: "e")
    redactor.registerSecret(Array("ab\n\n\n\n".utf8), name: "n")
    #expect(redactor.redact("abcde ab") == "abcde ab")
    #expect(!redactor.knows("s") && !redactor.knows("e"))
    redactor.registerSecret(Array("abcdef".utf8), name: "six")
    #expect(redactor.mask("abcdef").value == "«secret:six»")
    #expect(redactor.knows("six"))
  }

  @Test(
    "rule 2: a number of a document that holds a value becomes a string",
    arguments: [
      (#"{"a":123456789}"#, #"{"a":"«secret:pin»"}"#),
      (
        #"{"a":[1,123456789,-123456789.5e3],"b":"123456789"}"#,
        #"{"a":[1,"«secret:pin»","-«secret:pin»"],"b":"«secret:pin»"}"#
      ),
      (#"[9123456789123456789]"#, #"["9«secret:pin»«secret:pin»"]"#),
      (#"{"\"123456789":"\\","b":123456789}"#, #"{"\"«secret:pin»":"\\","b":"«secret:pin»"}"#),
      (#"{"123456789":true}"#, #"{"«secret:pin»":true}"#),
      ("123456789", "«secret:pin»"), ("{123456789", "{«secret:pin»"),
      ("\u{FEFF}[123456789]", "\u{FEFF}[\"«secret:pin»\"]"),
      (#"{"a":1.23456789E8}"#, #"{"a":"«secret:pin»"}"#),
      (
        #"[1.23456789e+8,123456789e0,0.123456789E9,12345678.9e1,-1.23456789e8]"#,
        #"["«secret:pin»","«secret:pin»","«secret:pin»","«secret:pin»","-«secret:pin»"]"#
      ),
      (
        #"[1.23456789e9,1.234567890E8,1.234567890e+008]"#,
        #"["«secret:pin»","«secret:pin»","«secret:pin»"]"#
      ),
      ("{\"a\":\"x=1.23456789e%2B08\"}", "{\"a\":\"x=«secret:pin»\"}"),
      ("[1.2345678e8,1e5e5,1.2.3e4,1e99999999999999999999,1e999]", nil),
      ("a1.23456789e8 1.23456789e8b 1.23456789e8-1 1.23456789e8.1 x_1.23456789e8", nil),
    ] as [(String, String?)])
  func numbers(text: String, expected: String?) {
    let redactor = Redactor()
    redactor.registerSecret(Array("123456789".utf8), name: "pin")
    #expect(redactor.mask(text).value == expected ?? text)
    #expect(redactor.mask("123456789", isJSON: true).value == "\"«secret:pin»\"")
  }

  @Test(
    "rule 2: numbers with an exponent are words of their own",
    arguments: [
      ("1000.5", #"{"a":1.0005e3,"b":10005e-1}"#, #"{"a":"«secret:k»","b":"«secret:k»"}"#),
      (
        "100000", #"{"a":1e5,"etag":"9b1e5f2c","id":"77aa-1e5-0000"}"#,
        #"{"a":"«secret:k»","etag":"9b1e5f2c","id":"77aa-1e5-0000"}"#
      ),
      (
        "12345678", "invalid PIN 1.2345678E7. For `1.2345678E7`, “1.2345678E7”, 1.2345678e+0007!",
        "invalid PIN «secret:k». For `«secret:k»`, “«secret:k»”, «secret:k»!"
      ),
      ("0.000123", "[1.23E-4,12.3e-5,-1.23e-4]", #"["«secret:k»","«secret:k»","-«secret:k»"]"#),
    ])
  func exponents(secret: String, text: String, expected: String) {
    let redactor = Redactor()
    redactor.registerSecret(Array(secret.utf8), name: "k")
    #expect(redactor.mask(text).value == expected)
  }

  @Test("rule 2: forms in forms")
  func formsInForms() {
    let redactor = Redactor()
    redactor.registerSecret(Array(#"sup3r/s3cr"et\val"#.utf8), name: "k")
    for text in [
      #"%22sup3r/s3cr%5C%22et%5C%5Cval%22"#, #"sup3r%252Fs3cr%2522et%255Cval"#,
      #"{"a":"{\"b\":\"{\\\"c\\\":\\\"sup3r/s3cr\\\\\\\"et\\\\\\\\val\\\"}\"}"}"#,
      Data(#"{"t":"sup3r/s3cr\"et\\val"}"#.utf8).base64EncodedString(),
    ] {
      #expect(redactor.mask(text).names == ["k"], "\(text)")
    }
  }

  @Test("rule 1: masking changes nothing but known values, whatever a text is called or looks like")
  func dataIsLeftAlone() {
    let redactor = Redactor()
    redactor.registerSecret(Array("s3cr3t-value".utf8), name: "n")
    for text in [
      #"{"token":"t","password":1,"Authorization":"Bearer x"}"#, "Authorization: Bearer abc",
      "http://u:p@h/?token=abc&key=x", "Set-Cookie: a=b", "password=x&y=z", "{{secret:n}}",
    ] {
      #expect(redactor.mask(text) == Masked(text))
      #expect(redactor.mask(Array(text.utf8)) == Masked(Array(text.utf8)))
    }
  }

  @Test(
    "base64 that is broken into lines is found, and nothing around it changes",
    arguments: [64, 76], ["\n", "\r\n", "\\n", "\\r\\n"])
  func wrappedBase64(columns: Int, end: String) {
    let redactor = Redactor()
    redactor.registerSecret(Array("a-secret-of-some-length".utf8), name: "s")
    for before in 30..<60 {
      let text = String(repeating: "x", count: before) + "a-secret-of-some-length" + "yyy"
      var rest = Data(text.utf8).base64EncodedString()[...]
      var lines: [Substring] = []
      while !rest.isEmpty {
        lines.append(rest.prefix(columns))
        rest = rest.dropFirst(columns)
      }
      let wrapped = "before \(lines.joined(separator: end))\(end)-- after"
      let masked = redactor.mask(wrapped)
      #expect(masked.names == ["s"], "\(before): \(wrapped)")
      #expect(masked.value.hasPrefix("before eHh") && masked.value.hasSuffix("\(end)-- after"))
      #expect(masked.value.contains("«secret:s»"))
    }
    let other = Data(repeating: 7, count: 200).base64EncodedString()
    #expect(redactor.mask("\(other)\n\(other)\n").names.isEmpty)
  }

  @Test("a line break behind a value stays, whatever the next line begins with")
  func lineBreakBehindAValue() {
    let redactor = Redactor()
    // Its base64 has no padding.
    let value = "0123456789abcdef0123456789abcdef0"
    redactor.registerSecret(Array(value.utf8), name: "s")
    let forms = [value, Data(value.utf8).base64EncodedString()]
    for form in forms {
      for text in [
        "key: V\nport: 1\n", "a,V\nb,V\nc,d\n", "V \n x", "pw\r\n\r\nV\r\n--end",
        #"{"a":"V\nport"}"#,
      ] {
        let masked = redactor.mask(text.replacing("V", with: form))
        #expect(masked.value == text.replacing("V", with: "«secret:s»"), "\(text)")
      }
    }
  }

  @Test(
    "names of any characters have marks of their own, which name them",
    arguments: [
      "plain", "a»b", "ab", "a\nb", #"a"b"#, #"a\b"#, "50%25", "50%", "[x]", "é",
      String(repeating: "n", count: 1024), String(repeating: "»", count: 512),
    ])
  func marksOfNames(name: String) throws {
    let mark = RedactionMark.named(name)
    #expect(RedactionMark.first(in: "before \(mark) after") == .secret(name: name))
    let ascii = RedactionMark.ascii(Array("«x» \(mark)".utf8))
    #expect(RedactionMark.first(in: String(decoding: ascii, as: UTF8.self)) == .secret(name: name))
    #expect(mark.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" })
    let redactor = Redactor()
    redactor.registerSecret(Array("s3cr3t-value".utf8), name: name)
    let masked = redactor.mask(#"{"a":"s3cr3t-value"}"#)
    #expect(masked.value == "{\"a\":\"\(mark)\"}" && masked.names == [name])
    #expect(redactor.mask(masked.value).value == masked.value)
  }

  @Test("a renamed secret is marked with its new name") func aRenamedSecretIsMarkedWithItsNewName()
  {
    let redactor = Redactor()
    redactor.registerSecret(Array("s3cr3t-value".utf8), name: "old")
    redactor.renameSecret("old", to: "new")
    #expect(redactor.mask("s3cr3t-value").value == "«secret:new»")
    #expect(redactor.knows("new") && !redactor.knows("old"))
  }

  @Test("long values in whole and in part") func longValuesInWholeAndInPart() {
    let redactor = Redactor()
    var random = Xoshiro256(seed: 5)
    let value = (0..<10_000).map { _ in UInt8.random(in: 0x30...0x7A, using: &random) }
    redactor.registerSecret(value, name: "pem")
    let text = "<" + String(decoding: value, as: UTF8.self) + ">"
    #expect(
      redactor.redact(text) == "<«secret:pem»>"
        || !redactor.redact(text).contains(String(decoding: value.prefix(64), as: UTF8.self)))
    #expect(redactor.redact(text).utf8.count < 100)
  }

  @Test("several secrets are found") func severalSecrets() {
    let redactor = Redactor()
    for index in 0..<300 {
      redactor.registerSecret(Array("secret-number-\(index)-".utf8), name: "n\(index)")
    }
    #expect(redactor.redact("a secret-number-7- b") == "a «secret:n7» b")
    #expect(redactor.redact("secret-number-70-secret-number-299-") == "«secret:n70»«secret:n299»")
  }

  @Test("overlapping secrets leave nothing") func overlappingSecretsLeaveNothing() {
    let redactor = Redactor()
    redactor.registerSecret(Array("abcdef".utf8), name: "a")
    redactor.registerSecret(Array("defghi".utf8), name: "b")
    redactor.registerSecret(Array("abcdefghijkl".utf8), name: "long")
    #expect(redactor.redact("xabcdefghix") == "x«secret:a»x")
    #expect(redactor.redact("xabcdefghijklx") == "x«secret:long»x")
  }

  @Test("values that repeat themselves are one match in a text that repeats them, in any encoding")
  func repeatingValues() throws {
    var batch = SecretBatch(key: SecretHashKey())
    for count in 6..<16 {
      let value = [UInt8](repeating: UInt8(ascii: "a"), count: count) + [UInt8(ascii: "b")]
      value.withUnsafeBytes { batch.add($0, name: "a\(count)") }
    }
    let table = try #require(SecretTable(adding: batch, to: nil))
    let whole = String(repeating: "YWFh", count: 1000)
    for text in [whole, whole + "%41\\u0041", "%41\\u0041" + whole] {
      let bytes = Array(text.utf8)
      bytes.withUnsafeBufferPointer { bytes in
        let matches = table.matches(
          inAllFormsOf: bytes, EncodingMarkers(bytes), inLowercase: true)
        #expect(matches.count == 1)
        #expect((matches.first?.range.count ?? 0) >= whole.utf8.count - 1)
        #expect(matches.first?.name == "a6" || matches.first?.name == "a15")
      }
    }
  }

  @Test("exactly the values in a text of few letters are masked, however they overlap")
  func valuesOfFewLetters() {
    var random = Xoshiro256(seed: 5)
    func word(_ lengths: ClosedRange<Int>) -> [UInt8] {
      (0..<Int.random(in: lengths, using: &random)).map { _ in Bool.random(using: &random) ? 97 : 98
      }
    }
    for _ in 0..<300 {
      let redactor = Redactor()
      let values = (0..<4).map { _ in word(6...9) }
      for (index, value) in values.enumerated() { redactor.registerSecret(value, name: "\(index)") }
      let text = word(0...60)
      // Each letter of a value is in a mark, and no other letter is.
      var isMasked = [Bool](repeating: false, count: text.count)
      for value in values {
        for start in text.indices where text[start...].starts(with: value) {
          for place in start..<(start + value.count) { isMasked[place] = true }
        }
      }
      let rest = zip(text, isMasked).filter { !$0.1 }.map { $0.0 }
      let masked = redactor.mask(String(decoding: text, as: UTF8.self)).value
      var kept: [UInt8] = []
      var isInMark = false
      for character in masked {
        if character == "«" { isInMark = true }
        if !isInMark { kept += character.utf8 }
        if character == "»" { isInMark = false }
      }
      #expect(kept == rest, "\(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test("marks are left alone") func marksAreLeftAlone() {
    let redactor = Redactor()
    redactor.registerSecret(Array("radarr".utf8), name: "radarr")
    redactor.registerSecret(Array("secret".utf8), name: "s")
    redactor.registerSecret(Array("redacted".utf8), name: "r")
    let once = redactor.redact("radarr secret http://h/?password=x")
    #expect(once == "«secret:radarr» «secret:s» http://h/?password=«redacted»")
    #expect(redactor.redact(once) == once)
  }

  @Test(
    "text that only looks like a mark is searched like any other",
    arguments: [
      ("«secret:s3cr3t-value»", "«secret:«secret:k»»"),
      ("«secret:x s3cr3t-value y»", "«secret:x «secret:k» y»"),
      ("{\"a\":\"«secret:s3cr3t-value»\"}", "{\"a\":\"«secret:«secret:k»»\"}"),
      ("«secret:k» «secret:s3cr3t-value»", "«secret:k» «secret:«secret:k»»"),
      ("«secret:s3cr3t%2Dvalue»", "«secret:«secret:k»»"),
    ])
  func forgedMarks(text: String, masked: String) {
    let redactor = Redactor()
    redactor.registerSecret(Array("s3cr3t-value".utf8), name: "k")
    #expect(redactor.mask(text).value == masked)
    #expect(redactor.mask(Array(text.utf8)).value == Array(masked.utf8))
    #expect(redactor.redact(text) == masked)
    #expect(redactor.mask(masked).value == masked)
    #expect(
      redactor.redact(LogField("token", "«secret:unknown-value»")).value == "«redacted»")
  }

  @Test("a mark whose name is the value of another secret stays, also after it is renamed")
  func marksWithValues() {
    let redactor = Redactor()
    redactor.registerSecret(Array("s3cr3t-value".utf8), name: "k")
    redactor.registerSecret(Array("another-value".utf8), name: "s3cr3t-value")
    let masked = redactor.mask("another-value").value
    #expect(masked == "«secret:s3cr3t-value»" && redactor.mask(masked).value == masked)
    redactor.renameSecret("s3cr3t-value", to: "new")
    #expect(redactor.mask(masked).value == masked)
  }

  @Test("a secret that is a mark itself is masked")
  func valuesLikeMarks() {
    let redactor = Redactor()
    redactor.registerSecret(Array("«secret:k»".utf8), name: "mark")
    redactor.registerSecret(Array("s3cr3t-value".utf8), name: "k")
    #expect(redactor.mask("a «secret:k» b").value == "a «secret:mark» b")
  }

  @Test("the value of a removed secret has the name of another one with that value")
  func removedSecrets() {
    let redactor = Redactor()
    func register(_ names: [String]) {
      var batch = redactor.batch()
      for name in names {
        Array("s3cr3t-value".utf8).withUnsafeBytes { batch.add($0, name: name) }
      }
      redactor.register(batch, isComplete: true)
    }
    var mark: String { redactor.mask("s3cr3t-value").value }
    register(["b", "a"])
    #expect(mark == "«secret:b»" && redactor.hasStored("b") && !redactor.hasStored("a"))
    register(["a", "b"])
    #expect(mark == "«secret:b»")
    register(["a"])
    #expect(mark == "«secret:a»" && redactor.hasStored("a") && !redactor.hasStored("b"))
    register([])
    #expect(mark == "«secret:a»" && !redactor.hasStored("a") && redactor.knows("a"))
    register(["c"])
    #expect(mark == "«secret:c»" && redactor.hasStored("c"))
    // What was masked before stays as it is.
    #expect(redactor.mask("«secret:b»").value == "«secret:b»")
  }

  @Test("a secret is renamed by the bytes of its name")
  func renamedByBytes() {
    let redactor = Redactor()
    redactor.registerSecret(Array("first-value".utf8), name: "\u{E9}")
    redactor.registerSecret(Array("second-value".utf8), name: "e\u{301}")
    redactor.renameSecret("\u{E9}", to: "new")
    #expect(redactor.mask("first-value").value == "«secret:new»")
    let mark = redactor.mask("second-value").value
    #expect(mark.utf8.elementsEqual("«secret:e\u{301}»".utf8))
    #expect(!redactor.knows("\u{E9}") && redactor.knows("e\u{301}"))
  }

  /// What a redactor keeps is hashes: no byte sequence of the value is reachable from it.
  @Test("values are not kept") func valuesAreNotKept() {
    let redactor = Redactor()
    redactor.registerSecret(Array("reachable-secret".utf8), name: "n")
    var text = ""
    dump(redactor, to: &text)
    #expect(!text.contains("reachable"))
  }

  @Test("registered from many threads") func registeredFromManyThreads() async {
    let redactor = Redactor()
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<50 {
        group.addTask { redactor.registerSecret(Array("value-\(index)-!".utf8), name: "\(index)") }
      }
    }
    for index in 0..<50 {
      #expect(redactor.redact("value-\(index)-!") == "«secret:\(index)»")
    }
  }
}

struct RedactorByPositionTests {
  static let rows: [(String, String)] = [
    // Headers
    ("Authorization: Bearer abc.def", "Authorization: «redacted»"),
    ("authorization:Basic dXNlcjpwYXNz", "authorization:«redacted»"),
    (
      "GET / HTTP/1.1\r\nCookie: a=b; c=d\r\nHost: x",
      "GET / HTTP/1.1\r\nCookie: «redacted»\r\nHost: x"
    ),
    ("< Set-Cookie: sid=1; HttpOnly\n< Date: x", "< Set-Cookie: «redacted»\n< Date: x"),
    ("X-Api-Key: 123 ", "X-Api-Key: «redacted» "),
    ("Proxy-Authorization: Digest response=\"a\", b", "Proxy-Authorization: «redacted»"),
    (
      "curl -H 'Authorization: Bearer x' http://h/", "curl -H 'Authorization: «redacted»' http://h/"
    ),
    ("curl -H \"X-Api-Key: x\" http://h/", "curl -H \"X-Api-Key: «redacted»\" http://h/"),
    ("X-Api-Key:abc", "X-Api-Key:«redacted»"),
    // Queries
    ("http://h/p?apikey=abc&x=1", "http://h/p?apikey=«redacted»&x=1"),
    ("http://h/p?apikey=abc: h refused", "http://h/p?apikey=«redacted»: h refused"),
    ("http://h/p?x=1&api_key=abc#f", "http://h/p?x=1&api_key=«redacted»#f"),
    ("http://h/p?token=a%20b rest", "http://h/p?token=«redacted» rest"),
    ("http://h/?tok%65n=abc&x=1", "http://h/?tok%65n=«redacted»&x=1"),
    ("http://h/?a=1&%61pi%5Fkey=abc", "http://h/?a=1&%61pi%5Fkey=«redacted»"),
    (
      "http://h/?%61%63%63%65%73%73%5F%74%6F%6B%65%6E=abc rest",
      "http://h/?%61%63%63%65%73%73%5F%74%6F%6B%65%6E=«redacted» rest"
    ),
    ("http://h/?100%=1&tok%en=2", "http://h/?100%=1&tok%en=2"),
    ("http://h/#access_token=abc&x=1", "http://h/#access_token=«redacted»&x=1"),
    ("(http://h/?password=abc)", "(http://h/?password=«redacted»)"),
    (#"{"url":"http://h/?token=abc"}"#, #"{"url":"http://h/?token=«redacted»"}"#),
    ("see http://h/?token=abc, then", "see http://h/?token=«redacted», then"),
    // Addresses
    ("http://user:pass@h/p", "http://«redacted»@h/p"),
    ("ftp://token@h:21/", "ftp://«redacted»@h:21/"),
    ("postgres://u:p@x@h/db?x=y@z", "postgres://«redacted»@h/db?x=y@z"),
    ("see http://h/p@q and a@b", "see http://h/p@q and a@b"),
    // Names and values of bodies and documents are data
    (#"{"Authorization":"Bearer x","a":1}"#, #"{"Authorization":"Bearer x","a":1}"#),
    (#"{"password":"a","accessToken":12345}"#, #"{"password":"a","accessToken":12345}"#),
    ("user=a&x=1 password=b token=c", "user=a&x=1 password=b token=c"),
    ("http://h/p?key=abc", "http://h/p?key=abc"), ("http://h/p?id=a", "http://h/p?id=a"),
    // Nothing to do
    ("the key is under the mat", "the key is under the mat"),
    ("monkey=1 keyboard=2 ?tokens=3", "monkey=1 keyboard=2 ?tokens=3"),
    ("X-Authorization-Mode: none", "X-Authorization-Mode: none"),
    ("", ""), (":", ":"), ("=", "="), ("?password", "?password"), ("?password=", "?password="),
    ("Authorization:", "Authorization:"), ("Authorization: ", "Authorization: "),
    ("://", "://"), ("://@", "://@"),
    ("?password=«redacted»", "?password=«redacted»"),
    ("X-Api-Key: «secret:a b»", "X-Api-Key: «secret:a b»"),
    // A mark is not the end of a value, whatever its name is
    ("http://h/?token=x«secret:a b»y&z=1", "http://h/?token=«redacted»&z=1"),
    ("http://h/?token=«secret:a&b»y rest", "http://h/?token=«redacted» rest"),
    ("http://h/?token=«secret:a#b»&z=1", "http://h/?token=«secret:a#b»&z=1"),
    ("http://u:«secret:a b»x@h/", "http://«redacted»@h/"),
    ("http://«secret:a@b»/x", "http://«secret:a@b»/x"),
    ("-H 'Cookie: a=«secret:o'x»; b=c' x", "-H 'Cookie: «redacted»' x"),
    ("Authorization: {{secret:a}}", "Authorization: {{secret:a}}"),
  ]

  @Test("rule 4: by position in headers and addresses, and there alone", arguments: rows)
  func row(text: String, expected: String) {
    let redactor = Redactor()
    #expect(redactor.redact(text) == expected)
    #expect(redactor.redact(expected) == expected)
    #expect(Redactor.redactPositions(text) == expected)
  }

  @Test("registered value keeps its name") func registeredValueKeepsItsName() {
    let redactor = Redactor()
    redactor.registerSecret(Array("s3cr3t-value".utf8), name: "radarr")
    for (text, expected) in [
      ("Authorization: Bearer s3cr3t-value", "Authorization: «secret:radarr»"),
      ("http://h/?apikey=s3cr3t-value&x=1", "http://h/?apikey=«secret:radarr»&x=1"),
      ("X-Api-Key: s3cr3t-value", "X-Api-Key: «secret:radarr»"),
      ("http://me:s3cr3t-value@h/", "http://«secret:radarr»@h/"),
    ] {
      #expect(redactor.redact(text) == expected)
      #expect(redactor.redact(expected) == expected)
    }
  }

  @Test(
    "rule 4: the value of a secret header is one mark, whatever else is in it",
    arguments: [
      ("plain", "«redacted»"), ("s3cr3t-value", "«secret:k»"),
      ("sid=abc; X=s3cr3t-value", "«secret:k»"), ("s3cr3t-valueabc", "«secret:k»"),
      ("abcs3cr3t-value s3cr3t-value", "«secret:k»"),
      ("s3cr3t-value, other-value, abc", "«redacted»"), ("«secret:k» abc", "«redacted»"),
    ])
  func headersOfAnswers(value: String, expected: String) {
    let redactor = Redactor()
    redactor.registerSecret(Array("s3cr3t-value".utf8), name: "k")
    redactor.registerSecret(Array("other-value".utf8), name: "o")
    for name in ["Authorization", "proxy-authorization", "Cookie", "SET-COOKIE", "X-Api-Key"] {
      let masked = redactor.mask(value, ofHeader: name)
      #expect(masked.value == expected, "\(name)")
      #expect(masked.names == redactor.mask(value).names, "\(name)")
    }
    #expect(redactor.mask(value, ofHeader: "X-Other") == redactor.mask(value))
  }

  @Test("rule 4: a known value that begins before a position, or ends behind it, hides none of it")
  func valuesAcrossPositions() {
    let redactor = Redactor()
    redactor.registerSecret(Array("token=abc".utf8), name: "k")
    redactor.registerSecret(Array("xyz&b=1".utf8), name: "o")
    for (value, expected) in [
      ("/?token=abcDEF&b=2", "/?«secret:k»&b=2"),
      ("/?apikey=DEFxyz&b=1&c=2", "/?apikey=«secret:o»&c=2"),
    ] {
      #expect(redactor.mask(value, ofHeader: "Location").value == expected)
    }
  }

  @Test("every secret form in every position") func everySecretFormInEveryPosition() {
    let redactor = Redactor()
    redactor.registerSecret(Array(awkward.utf8), name: "n")
    let positions = [
      "Authorization: %", "Cookie: %", "Set-Cookie: a=%", "X-Api-Key: %", "http://h/?apikey=%",
      "http://h/?password=%&x=1", #"{"token":"%"}"#, "http://u:%@h/", "error: %", "%",
      #"{"a":["%"]}"#,
    ]
    for position in positions {
      for (name, form) in forms(of: awkward) {
        let parts = position.split(separator: "%", omittingEmptySubsequences: false)
        let text = "\(parts[0])\(form)\(parts[1])"
        let redacted = redactor.redact(text)
        #expect(!redacted.contains(form), "\(position) \(name): \(redacted)")
        #expect(redacted.contains("«"), "\(position) \(name)")
      }
    }
  }

  @Test("fields are masked by secret keys") func fieldsBySecretKeys() {
    let redactor = Redactor()
    redactor.registerSecret(Array("s3cr3t-value".utf8), name: "n")
    #expect(redactor.redact(LogField("password", "x")) == LogField("password", "«redacted»"))
    #expect(redactor.redact(LogField("X-Api-Key", "s3cr3t-value")).value == "«secret:n»")
    #expect(redactor.redact(LogField("Authorization", "Bearer s3cr3t-value")).value == "«secret:n»")
    #expect(redactor.redact(LogField("key", "x")) == LogField("key", "x"))
    #expect(
      redactor.redact(LogField("url", "http://h/?token=x")).value == "http://h/?token=«redacted»")
    #expect(redactor.redact(LogField("token", "")).value == "")
  }

  /// Text made to be slow: each takes a moment at most.
  static let slowTexts = [
    String(repeating: "\\", count: 50_000), String(repeating: "\"", count: 50_000),
    String(repeating: "password:", count: 12_000), String(repeating: "name:\"", count: 12_000),
    String(repeating: "token=", count: 12_000), String(repeating: "://", count: 25_000),
    "\"Authorization: " + String(repeating: "\\", count: 50_000),
    String(repeating: " :", count: 25_000), String(repeating: "Cookie: \n", count: 12_000),
    String(repeating: "«", count: 25_000), String(repeating: "%41\\u0041", count: 8_000),
    String(repeating: "a-_", count: 25_000) + "=x", String(repeating: "A", count: 100_000),
    String(repeating: "-", count: 100_000),
  ]

  @Test("redaction takes linear time", arguments: slowTexts.indices) func linearTime(index: Int) {
    let text = Self.slowTexts[index]
    let redactor = Redactor()
    redactor.registerSecret(Array("AAAAAA".utf8), name: "n")
    redactor.registerSecret([UInt8](repeating: UInt8(ascii: "A"), count: 4096), name: "long")
    redactor.registerSecret([UInt8](repeating: UInt8(ascii: "-"), count: 4000) + [1], name: "end")
    let start = Self.processorMilliseconds
    _ = redactor.redact(text)
    #expect(Self.processorMilliseconds - start < 2000)
  }

  /// What this thread has had of a processor: however busy the machine, it is the same for the same
  /// work.
  private static var processorMilliseconds: Int {
    var now = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return now.tv_sec * 1000 + now.tv_nsec / 1_000_000
  }

  @Test("any bytes at all are redacted without a fault") func anyBytesAtAll() {
    let redactor = Redactor()
    redactor.registerSecret(Array("a:b=cd".utf8), name: "n")
    var random = Xoshiro256(seed: 11)
    let pieces = [
      "password", "=", ":", "\"", "\\", "'", " ", "token", "name", "value", "«redacted»", "«",
      "//", "@", "%41", "\\u00e9", "Authorization", "\n", "[", ",", "a:b=cd", "ö", "5", "&", "?",
    ]
    for _ in 0..<3000 {
      let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }.joined()
      let once = redactor.redact(text)
      #expect(!once.contains("a:b=cd"), "\(text)")
      _ = redactor.redact(once)
      let raw = (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = redactor.mask(raw)
    }
  }
}
