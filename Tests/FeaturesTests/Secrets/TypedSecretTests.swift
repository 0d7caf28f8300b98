import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardBoard
@testable import SwiftBoardFeatures

@Suite("Secrets in lines")
struct TypedSecretTests {
  /// A world with an unlocked keychain file, and another process with the same file.
  private static func sharedKeychain(
    in folder: TemporaryFolder
  ) async throws -> (dependencies: Dependencies, world: World, other: LiveKeychainService) {
    let path = folder.path("keychain.sbkc")
    let secret = KeychainSecret.keyFile(try GuardedBytes.random(count: 32))
    let other = LiveKeychainService(path: path)
    try await other.create(with: secret)
    let world = World()
    var dependencies = world.dependencies
    dependencies.keychainService = RedactingKeychain(
      LiveKeychainService(path: path), redactor: world.logger.redactor)
    try await dependencies.keychainService.unlock(with: secret)
    return (dependencies, world, other)
  }

  @Test("a secret that another process has stored is known to the next line")
  func storedByAnotherProcess() async throws {
    let folder = try TemporaryFolder()
    let (dependencies, world, other) = try await Self.sharedKeychain(in: folder)
    let lines = Lines(world, dependencies: dependencies)
    #expect(await lines.run("set v value-of-another") == 0)
    try await other.save(Data("value-of-another".utf8), forKey: "k")
    let steps = lines.allSteps.count
    for line in [
      "set w value-of-another", #"db put c 1 {"a":"value-of-another"}"#,
      #"db preference set p "value-of-another""#, "echo value-of-another",
    ] {
      #expect(await lines.run(line) == 64, "\(line): \(lines.allPrinted)")
    }
    #expect(!lines.allSteps.dropFirst(steps).contains("value-of-another"))
    #expect(try await world.persistence.document(collection: "c", id: "1") == nil)
    // A keychain that cannot be read fails no line.
    try folder.write("none", to: "keychain.sbkc")
    #expect(await lines.run("echo x") == 0)
  }

  @Test("a value that became a secret after its line was judged is not stored")
  func storedMeanwhile() async throws {
    let folder = try TemporaryFolder()
    let (dependencies, world, other) = try await Self.sharedKeychain(in: folder)
    try await other.save(Data("value-of-another".utf8), forKey: "k")
    for command in [
      DatabaseCommand.put(
        collection: "c", id: "1", body: .json(text: #"{"a":"value-of-another"}"#)),
      .preferenceSet(name: "p", json: #""value-of-another""#),
    ] {
      await #expect(throws: (any Error).self) { try await command.call(dependencies) }
    }
    #expect(try await world.persistence.document(collection: "c", id: "1") == nil)
    #expect(try await world.persistence.preference("p") == nil)
  }

  @Test(
    "a secret typed behind a command that a variable names is part of no step",
    arguments: [
      "time - keychain set n hunter2", "--json keychain set n hunter2",
      "echo x & keychain set n hunter2",
      "set k keychain; $k set n hunter2", "set k keychain; ${k} set n hunter2",
      "set k keychain; echo x; $k set n --generate 3 hunter2",
      "set s set; keychain $s n hunter2", "set k chain; key$k set n hunter2",
      "set k keychain; $k \"set\" n 'hunter2 and more'", "echo keychain; {{last}} set n hunter2",
      "set k keychain; set s set; $k $s n hunter2", "set k keychain; time $k set n hunter2",
    ])
  func typedBehindAVariable(line: String) async {
    let lines = Lines()
    let code = await lines.run(line)
    #expect(code == 64)
    #expect(!lines.allSteps.contains("hunter2"), "\(lines.allSteps)")
    #expect(!lines.allPrinted.contains("hunter2"), "\(lines.allPrinted)")
    #expect(lines.allSteps.contains("[refused: secret n]"))
  }

  @Test("no command of the keychain takes more words than its own")
  func commandsOfTheKeychain() {
    let secrets = TypedSecretFinder(BoardFeatures.all)
    for spec in BoardFeatures.all.commands.specs where spec.path.first == "keychain" {
      let count = spec.path.last == "set" ? 1 : spec.arguments.count
      let path = spec.path.joined(separator: " ")
      let enough = path + String(repeating: " word", count: count)
      for line in [enough, "\(enough) --json", "help \(path)", "\(path) --help"] {
        #expect(secrets.refusal(of: ScriptLine(line), Redactor()) == nil, "\(line)")
        #expect(secrets.shown(ScriptLine(line)) == line)
      }
      for line in ["\(enough) more", "\(enough) -- -m", "help \(enough) more"] {
        #expect(secrets.refusal(of: ScriptLine(line), Redactor()) != nil, "\(line)")
      }
    }
  }

  @Test(
    "a value where only a secret can stand is in no step, whatever the form of the line",
    arguments: [
      "keychain unlock V", "keychain init V", "keychain lock V", "keychain get a V",
      "keychain get a V --reveal", "keychain rename a b V", "keychain set a=V",
      "keychain set 'a=V'", "keychain set a --value=V", "keychain set a -pV",
      "keychain unlock --V", "keychain set a -- -V", "keychain sett a V", "keychain sett a=V",
      "keychain pasphrase V", "keychain 'set a V'", "'keychain set a V'", "kechain get a V",
      "sudo keychain set a V", "sudo keychain unlock V", "swiftboard keychain set a V",
      "swiftboard -c 'keychain set a V'", "swiftboard -c \"keychain unlock V\"",
      "alias k keychain set a V", "alias k='keychain set a V'",
      "alias k=keychain; k set a V", "watch 5s keychain set a V", "alias k 'keychain set'; k a V",
      "watch -q 5s keychain set a V", "watch 5s keychain unlock --count V",
      "watch 5s keychain set a V --count 2", "watch 5s keychain set pin '--count' V",
      "watch --timeout 3s 5s --json keychain set a V",
      "help keychain set a V", "help keychain get a V", "help sudo keychain set a V",
      "open swiftboard://keychain/set/a/V", "open swiftboard://keychain/get/a?value=V",
      "open swiftboard://key%63hain/set/a/V", "open swiftboard://keychain/set/a/%zzV",
      "open keychain/set/a/V", "swiftboard://keychain/set/a/V",
      "echo x > f keychain set a V", "echo x & keychain unlock V", "echo x | keychain set a V",
      "echo V | keychain set a --from-stdin", "PASS=V keychain unlock",
      "echo a; keychain unlock V", "echo a; sudo keychain unlock V; echo b",
      "-keychain get a V", "! keychain get a V", "time keychain get a V",
      "- sudo keychain get a V", "keychain set a \"V", "keychain set a <<END\nV\nEND",
      "keychain set a <<END\nV", "keychain \\\n unlock V", "keychain unlock V > f",
      "keychain unlock V &", "set k keychain; $k unlock V", "set k keychain; $k get a V",
      "set u unlock; keychain $u V", "keychain unlock V --help", "keychain --json unlock V",
      "sudo -u me keychain --json set a V", "sh -c 'keychain set a V'", "$(keychain set a V)",
    ])
  func everyForm(line: String) async {
    let lines = Lines()
    let code = await lines.run(line.replacing("V", with: "hunter2"))
    #expect(code == 64 || line.hasPrefix("-") || line.hasPrefix("!"), "\(code)")
    #expect(!lines.allSteps.contains("hunter2"), "\(lines.allSteps)")
    #expect(!lines.allPrinted.contains("hunter2"), "\(lines.allPrinted)")
    #expect(lines.allSteps.contains("[refused: secret "), "\(lines.allSteps)")
    let (error, help) =
      line.contains("--json") ? ("\"error\":", "\"hint\":\"") : ("error: ", "help: ")
    #expect(lines.allPrinted.contains(error) && lines.allPrinted.contains(help))
  }

  @Test(
    "a line whose command is known may speak of the keychain",
    arguments: [
      "echo keychain set a word", "log note keychain unlock is slow",
      "set x 'keychain get a word'", "keychain get a --reveal > word",
      "api get http://h/keychain/set/a/word", "open swiftboard://keychain/list",
      "set s api; $s get nas/x a==word", "set s db; $s get c word", "help keychain set",
      "watch 1s keychain status --count 1", "watch 1s --json keychain list --count=20",
    ])
  func notASecret(line: String) {
    let secrets = TypedSecretFinder(BoardFeatures.all)
    #expect(secrets.refusal(of: ScriptLine(line), Redactor()) == nil)
    #expect(secrets.shown(ScriptLine(line)) == line)
  }

  @Test("a line of the history has a secret by the rule for new lines, whatever its quotes")
  func linesOfTheHistory() {
    let lines = Lines()
    let redactor = lines.board.redactor
    redactor.registerSecret(Array("status".utf8), name: "s")
    redactor.registerSecret(Array("a b\"c!d".utf8), name: "t")
    for line in ["session status", "keychain status", "echo {{secret:s}}", "echo 'a b'"] {
      #expect(!lines.session.containsKnownSecret(line), "\(line)")
    }
    for line in ["echo status", "echo 'sta'tus", #"echo a\ b\"c!d"#, #"echo 'a b"c!d'"#] {
      #expect(lines.session.containsKnownSecret(line), "\(line)")
    }
  }

  @Test(
    "rule 3: a secret behind a misspelt, missing or foreign command is in no step, nowhere",
    arguments: [
      "ap get http://h/ token==hunter2x", "apii get http://h/?token=hunter2x",
      "get http://h/ 'Authorization:Bearer hunter2x'", "curl http://user:hunter2x@h/",
      "wtach 1s api get http://h/ token==hunter2x", "token==hunter2x", "http://u:hunter2x@h/",
      "echo a; ap get http://h/ --auth basic:u:hunter2x", "ap get http://h/ token==hunter2x '",
      "http://u:hunter2x@h/ token==zzzzzz", "Authorization:hunter2x X-Api-Key:defghij",
      "token==hunter2x http://h/ token==zzzzzz", "help ap get http://h/ token==hunter2x",
      "watch 1s watch 1s curl http://h/?token=hunter2x", "source x; q get token==hunter2x",
    ])
  func unknownCommand(line: String) async {
    let lines = Lines()
    #expect(await lines.run(line) == 64)
    #expect(!lines.allPrinted.contains("hunter2x") && !lines.allSteps.contains("hunter2x"))
    #expect(lines.allSteps.contains("[refused: secret "), "\(lines.allSteps)")
  }

  @Test("an unknown command without a secret is shown as it is, and so is an alias")
  func unknownCommandWithoutSecret() {
    let secrets = TypedSecretFinder(BoardFeatures.all)
    for line in ["ap get http://h/ a==word", "banana key:value", "curl http://h/?page=2"] {
      #expect(secrets.refusal(of: ScriptLine(line), Redactor()) == nil)
    }
  }

  @Test(
    "rule 3: a secret in a line that cannot be parsed is in no step, whatever references it has",
    arguments: [
      "api get http://h/ X-Api-Key:{{secret:k}} token==hunter2x | jq",
      "api get http://h/ 'a=={{secret:k}}' token==hunter2x | jq",
      "api get http://h/ token==hunter2x X-Api-Key:{{secret:k",
      "api get http://h/ X-Api-Key:{{secret:k token==hunter2x",
      "api get http://h/?a={{secret:k&token=hunter2x",
      "api get http://h/ X-Api-Key:{{secret:k token==hunter2x a=={{secret:j}} |",
      "api get http://h/ token=={{hunter2x}}", "{{secret:k}} token==hunter2x |",
      "downloads add u {{secret:k}} http://h/?apikey=hunter2x | x",
      "echo x | api get http://h/ token==hunter2x", "echo x & api get http://h/ token==hunter2x",
      "echo x && y || api get http://h/ token==hunter2x",
      "echo x; api service add s http://h & --auth header:X=hunter2x",
      "keychain unlock \"hunter2x\\q\"", "keychain set a \"hunter2x\\q\"",
      "keychain status hunter2x \"\\q\"", "keychain set k Tom & hunter2x token==y",
      "keychain set k Tom; hunter2x token==y \"",
      "alias w \"api get http://h/ token==hunter2x\" >&2",
      "alias w 'api get http://h/ X-Api-Key:{{secret:k}} token==hunter2x' > &f",
      "echo x >&2; alias w \"api get http://h/ token==hunter2x\"",
      "alias w api get http://h/ token==hunter2x | jq",
      "help api get http://h/ token==hunter2x >&2", "$k set n hunter2x >&2",
      "sudo ${k} set n hunter2x >&2", "$a get http://h/ token==hunter2x >&2",
      "'key'chain set n hunter2x >&2", "open swiftboard://key%63hain/set/a/hunter2x >&2",
      #"api get http://h/ a=\' X-Api-Key:{{secret:k}} token==hunter2x |"#,
      #"api get http://h/ "a=\"" X-Api-Key:{{secret:k}} token==hunter2x |"#,
      "api get http://h/ q==it's token==hunter2x X-Api-Key:{{secret:k}}",
      "api get http://h/ a=\"x token==hunter2x X-Api-Key:{{secret:k}}",
      "api get http://h/ \\\n token=\\\n=hunter2x |",
      "api get http://h/ X-Api-Key:{{secret:k token==hunter2x}} |",
      "api get http://h/ 'X-Api-Key:{{secret:k' token==hunter2x }} |",
      "http://u:hunter2x@h/{{secret:k}} |", "X-Api-Key:{{secret:k}}hunter2x |",
      "X-Api-Key:{{secret:k}hunter2x |", "api get http://h/ {{secret:k --auth hunter2x}} |",
      #"$k set n hunter2x; keychain status "\q""#, #"$k set n hunter2x; keychain get a "\q""#,
      #"'key'chain set n hunter2x; keychain status "\q""#,
      #"open swiftboard://key%63hain/set/a/hunter2x; keychain status "\q""#,
      #"api get http://h/ p=="C:\x\" token==hunter2x q=="y""#,
      #"api get http://h/ p=="C:\" token==hunter2x q=="y" | jq"#,
      "api get http://h/ token==Pa$hunter2x | jq", "api get http://h/ token==$t\"hunter2x\" | jq",
      "api get http://h/ token==\"$t\"hunter2x | jq", "api get http://h/ token=={{last}}hunter2x |",
      "api get http://h/ token==hunter2x:$t | jq", "api get http://h/ token==hunter2x=$t | jq",
      "api get http://h/ \"Authorization:Bearer hunter2x $t\" | jq",
      "api get http://h/ \"Authorization:hunter2x $t\" | jq",
      "api get \"http://h/?token=$t@hunter2x\" | jq",
      "api get \"http://h/?token=hunter2x=$t\" | jq",
      "api get http://h/ token==//hunter2x:$t@x | jq",
      "key$k $s n hunter2x |", "api get http://h/ X-Api-Key:{{secret: token==hunter2x}} |",
    ])
  func beside(line: String) async {
    let lines = Lines()
    #expect(await lines.run(line) == 64)
    #expect(!lines.allPrinted.contains("hunter2x"), "\(lines.allPrinted)")
    #expect(!lines.allSteps.contains("hunter2x"), "\(lines.allSteps)")
    #expect(lines.allSteps.contains("[refused: secret "), "\(lines.allSteps)")
  }

  @Test(
    "the advice about a typed secret is a form that the command takes",
    arguments: [
      ("api service add x http://h/?apikey=hunter2x", "--auth query:apikey={{secret:NAME}}"),
      ("api service add x http://u:hunter2x@h/", "--auth basic:USER:{{secret:NAME}}"),
      ("api service add x http://h/ token==hunter2x", "--auth query:token={{secret:NAME}}"),
      ("api service add x http://h/ X-Api-Key:hunter2x", "--auth header:X-Api-Key={{secret:NAME}}"),
      ("api get http://h/?apikey=hunter2x", "write apikey=={{secret:NAME}}"),
      ("open swiftboard://characters/search?token=hunter2x", "help: a link takes no secret;"),
      ("open swiftboard://u:hunter2x@api/x", "help: a link takes no secret;"),
    ])
  func formOfAdvice(line: String, advice: String) async {
    let lines = Lines()
    #expect(await lines.run(line) == 64)
    #expect(lines.allPrinted.contains(advice), "\(lines.allPrinted)")
    #expect(!lines.allPrinted.contains("hunter2x"))
  }

  @Test(
    "a line that cannot be parsed reports its own error where it names secrets",
    arguments: [
      ("api get http://h/ X-Api-Key:{{secret:k}} | jq .", "'|' joins no commands here"),
      ("api get http://h/ token=={{secret:k}} && echo", "'&&' joins no commands here"),
      ("api get http://h/ token=={{ secret:my key }} || a", "'||' joins no commands here"),
      ("api get http://h/ 'token=={{secret:k}}' | jq", "'|' joins no commands here"),
      ("api get http://h/ token=={{last.body}} | jq", "'|' joins no commands here"),
      ("api get http://h/ token=={{last }} | jq", "'|' joins no commands here"),
      ("api get http://h/ token==$t 'X-Api-Key':\"${k}\" | jq", "'|' joins no commands here"),
      ("echo a | curl -H \"Authorization: Bearer $T\" http://h/", "'|' joins no commands here"),
      ("\"Authorization:Bearer {{secret:k}}\" http://h/ | a", "'|' joins no commands here"),
      ("api get http://h/ token=={{secret:k}} > a b", "nothing may follow '> FILE'"),
      ("api get http://h/ Authorization:\"Bearer {{secret:k}}\" \"", "is never closed"),
      ("api get http://h/ token=={{secret:k}} \\", "a line should follow the \\"),
      ("api get http://h/ token=={{secret:k}} ${", "expected ${name}"),
      ("api get http://h/ token=={{secret:k}} {{lst.a}}", "unknown reference '{{lst.a}}'"),
      ("api get http://h/ X-Api-Key:{{secret:k", "'{{' is not closed"),
      ("api get http://h/ \"X-Api-Key:{{secret:k\"", "'{{' is not closed"),
      ("api service add s http://h --auth header:X={{secret:k}} \"", "is never closed"),
      ("watch 1s api get http://h/ token=={{secret:k}} | x", "'|' joins no commands here"),
      ("downloads add u \"http://h/?apikey={{secret:i}}\" | x", "'|' joins no commands here"),
      ("grep $pat $file | head", "'|' joins no commands here"),
      ("$base $t | jq", "'|' joins no commands here"),
      ("curl \"http://h/?token=$t&page=2\" | jq", "'|' joins no commands here"),
      ("downloads add u http://u:$p@h/f | x", "'|' joins no commands here"),
      (#"keychain status "\q""#, #"unknown escape '\q'"#),
      (#"keychain get "\u{0}""#, #"'\u{0}' is NUL, which a line cannot contain"#),
      (#"keychain remove "\u{0}""#, #"'\u{0}' is NUL, which a line cannot contain"#),
    ])
  func ownError(line: String, message: String) async {
    let lines = Lines()
    #expect(await lines.run(line) == 64)
    #expect(lines.allPrinted.contains(message), "\(lines.allPrinted)")
    #expect(lines.allPrinted.contains("  \(line)\n"), "\(lines.allPrinted)")
    #expect(!lines.allSteps.contains("[refused"), "\(lines.allSteps)")
  }

  @Test("a word that a shell has split has no quotes and no variables")
  func splitByAShell() {
    let secrets = TypedSecretFinder(BoardFeatures.all)
    func refusal(_ words: String...) -> TypedSecret? { refusal(words) }
    func refusal(_ words: [String]) -> TypedSecret? {
      var line = ScriptLine(
        text: LineParser.literalText(words), location: LineLocation(nil, line: 1),
        parsed: LineParser.parse(literal: words))
      line.words = words
      return secrets.refusal(of: line, Redactor())
    }
    let open = "X-Api-Key:{{secret:k"
    #expect(refusal("api", "get", "http://h/", "note=don't; \"a", open) == nil)
    #expect(refusal("api", "get", "http://h/", "Authorization:Bearer {{secret:k}}", open) == nil)
    for secret in ["token==hunter2", "token==$hunter2", "Authorization: Bearer hunter2"] {
      #expect(refusal("api", "get", "http://h/", "note=don't", secret, open) != nil, "\(secret)")
      #expect(refusal("echo", "x", ";", "api", "get", "http://h/", secret, open) != nil)
    }
    #expect(refusal("api get http://h/ token==hunter2 \(open)") != nil)
    for words in [
      ["time", "echo", "token==x"], ["!", "echo", "Authorization:x"],
      ["-", "db", "search", "token==x"],
    ] {
      #expect(refusal(words) == nil, "\(words)")
    }
  }

  @Test("quotes that are never closed and runs of variables are each searched once")
  func longLines() {
    let secrets = TypedSecretFinder(BoardFeatures.all)
    for part in ["'{{secret:a'\"}}", "$a ", "$a --json "] {
      let line = ScriptLine("\"x \(String(repeating: part, count: 5000))|")
      #expect(secrets.refusal(of: line, Redactor()) == nil, "\(part)")
    }
  }

  @Test("a line that is no text is malformed data, whatever may be a secret in it")
  func malformedText() {
    let secrets = TypedSecretFinder(BoardFeatures.all)
    func refusal(_ text: String) -> TypedSecret? {
      secrets.refusal(
        of: ScriptLine(
          text: text, location: LineLocation("test.sb", line: 1),
          parsed: .invalid(LineSyntaxError("invalid UTF-8", kind: .malformedData))), Redactor())
    }
    #expect(refusal("set\u{fffd} q {{secret:x}}") == nil)
    for text in ["keychain get \u{fffd} x", "set\u{fffd} q token==hunter2"] {
      #expect(refusal(text)?.error == UsageError("invalid UTF-8", kind: .malformedData))
    }
  }

  @Test(
    "a line with a reference in single quotes is replaced by the name of its secret",
    arguments: [
      ("api get http://h/ 'X-A:{{secret:k}}'", "k"), ("alias e 'api get {{secret:a.b}}'", "a.b"),
      ("api post http://h/ --json-body '{{secret:k}}'", "k"),
      ("api get http://h/ 'X-A:{{secret:a b}}'", "quoted"),
      ("api get http://h/ 'X-A:{{secret:k'", "quoted"),
    ])
  func quotedReference(line: String, name: String) {
    let refusal = TypedSecretFinder(BoardFeatures.all).refusal(of: ScriptLine(line), Redactor())
    #expect(refusal?.text == "[refused: secret \(name)]")
  }

  @Test("what is wrong besides is said, and the value is not")
  func messages() async {
    for (line, error) in [
      ("sudo keychain set a hunter2", "error: unknown command 'sudo'"),
      ("ap get http://h/ token==hunter2", "error: unknown command 'ap'"),
      ("ap get http://h/ token==hunter2", "help: did you mean 'api'?"),
      ("watch --count 1 1s curl http://h/?token=hunter2", "error: unknown command 'curl'"),
      ("source x.sb; q token==hunter2", "error: the value of 'token' looks like a secret"),
      (
        "alias w \"get http://h/ token==hunter2\"",
        "error: the value of 'token' looks like a secret"
      ),
      (
        "alias s 'api get nas/x X-Api-Key:{{secret:k}}'",
        "error: 'alias' would show the secret; it takes no {{secret:NAME}}"
      ),
      (
        "alias s api get nas/x 'X-Api-Key:{{secret:k}}'",
        "error: 'alias' would show the secret; it takes no {{secret:NAME}}"
      ),
      (
        "alias s watch 1s api get nas/x 'X-Api-Key:{{secret:k}}'",
        "error: 'alias' would show the secret; it takes no {{secret:NAME}}"
      ),
      (
        "help api get nas/x 'X-Api-Key:{{secret:k}}'",
        "error: 'help' would show the secret; it takes no {{secret:NAME}}"
      ),
      (
        "alias w 'api get http://h/ token==Pa$w0rd'",
        "error: the value of 'token' looks like a secret"
      ),
      (
        "alias w 'api get http://h/ token==aGVsbG8=$x'",
        "error: the value of 'token' looks like a secret"
      ),
      (
        "alias w 'api get http://h/ token=={{last}}hunter2x'",
        "error: the value of 'token' looks like a secret"
      ),
      (
        "source x.sb; q 'token=={{secret:k}}'",
        "error: in single quotes and after a backslash, {{secret:...}} is plain"
      ),
      (
        "api get http://h/ --proxy http://u:hunter2@p:1",
        """
        help: write --proxy http://HOST:PORT; the variables http_proxy and https_proxy take an \
        address with a user and a password
        """
      ),
      (
        "api get http://h/ --proxy http://u:hunter2#@p:1",
        "error: the value of 'proxy' looks like a secret"
      ),
      (
        "api get http://u:hunter2@h/",
        "help: store it with 'keychain set NAME' and write --auth basic:USER:{{secret:NAME}}"
      ),
      ("keychain sett a hunter2", "error: unknown keychain command 'sett'"),
      ("keychain sett a hunter2", "help: did you mean 'set'?"),
      ("keychain unlock hunter2", "help: usage: keychain unlock; a secret that it needs"),
      ("keychain list hunter2", "error: the words do not fit the command, and are not shown"),
      ("keychain autolock -hunter2", "help: usage: keychain autolock [TIME]; a secret that"),
      (
        "keychain rename a b hunter2",
        "error: the words do not fit the command, and are not shown: a secret may be among them"
      ),
      (
        "keychain set a hunter2",
        "error: a secret on the command line would stay in histories and process lists"
      ),
      ("keychain set a=hunter2", "help: let it be asked for, or use --from-file FILE"),
      ("keychain init --no-input", "error: unknown option '--no-input'"),
      ("keychain list --no-input", "error: unknown option '--no-input'"),
      ("api get http://h/ --auth ''", "--auth names exactly one secret, at its end"),
    ] {
      let lines = Lines()
      #expect(await lines.run(line) == 64)
      #expect(lines.allPrinted.contains(error), "\(lines.allPrinted)")
    }
  }
}

extension ScriptLine {
  fileprivate init(_ text: String) {
    self.init(
      text: text, location: LineLocation("test.sb", line: 1), parsed: LineParser.parse(text))
  }
}
