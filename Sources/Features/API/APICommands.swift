import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

enum APICommands {
  static let methods = ["get", "post", "put", "patch", "delete", "head"]

  private static let service = ArgumentSpec("name", "a service", kind: .service)
  private static let savedRequest = ArgumentSpec("name", "its name", kind: .savedRequest)

  private static let requestOptions =
    [
      OptionSpec(
        "cache", value: "POLICY",
        "localFirst: what is kept; remoteFirst: ask whether it still holds, and give what is kept, as STALE with exit code 0, where "
          + "the service is out of reach or too slow; noCache: ask, and fail where there is no answer",
        kind: .choice(CachePolicy.allCases.map(\.rawValue))),
      OptionSpec("timeout", value: "DUR", "the maximum time of each attempt, like 5s or 500ms"),
      OptionSpec(
        "retry", value: "N",
        "try again after a failure of the connection, a timeout, or status 429, 502, 503 or 504, N times, at most 100, "
          + "unless the service asks to wait longer than --timeout or a minute; with --json, add 'attempts'"
      ),
      OptionSpec(
        "follow", value: "N", "follow N redirects, at most 100; with --json, add 'redirects'"),
    ] + AnswerViewOptions.specs + [
      OptionSpec(
        "out", value: "FILE",
        "write the body to FILE, of whatever size; without this a body has at most 16 MiB",
        kind: .file),
      OptionSpec(
        flag: "resume",
        "with --out: keep what has come in FILE.part when the transfer fails, and go on from there"),
      OptionSpec(
        "compressed-limit", value: "BYTES",
        "the largest size of an unpacked body; with --out the default is 1 GiB"),
      OptionSpec(
        "capture", value: "NAME=PATH",
        "store what is at PATH (body.token, headers.set-cookie) as the secret NAME; "
          + "may be given more than once",
        repeatable: true),
      OptionSpec(
        "save", value: "NAME",
        "keep the request for 'api run NAME', with absolute paths of the files that it reads; replaces another of that name"
      ),
    ] + RequestOptions.specs

  private static let requestArguments = [
    ArgumentSpec("target", "SERVICE/PATH or an address", kind: .target),
    ArgumentSpec(
      "item",
      "key==query, key=text, key:=json, key=@file, key:=@file, key@file, @bodyfile, @- (standard input), "
        + "Header:value, Header: (takes it away), 'Header;' (sends it empty), 'key@file;type=TYPE'; "
        + "a ; needs the quotes on a line; a \\ before : = @ ; makes it text; "
        + "key[a]=text and key[]=text put it into an object or array of the JSON body",
      kind: .item, optional: true, repeating: true),
  ]

  private static func examples(of method: String) -> [String] {
    switch method {
    case "get":
      [
        "api get sample/character/1", "api get sample/character page==2 --select results[0].name",
        "api get sample/character page==1 --save first-page",
      ]
    case "head": ["api head sample/character/1"]
    case "post": ["api post sample/items name=tea count:=3"]
    case "delete": ["api delete sample/items/7"]
    default: ["api \(method) sample/items/7 name=tea count:=4"]
    }
  }

  static let table: CommandTable<FeatureCommand<APIAction>> = CommandTable(
    methods.map { method in
      CommandSpec(
        ["api", method],
        method == "get" ? "ask a service" : "send a \(method.uppercased()) request",
        details: method == "get"
          ? "GET has no body of members. It takes a whole one: --json-body TEXT or @FILE." : "",
        arguments: requestArguments, options: requestOptions,
        examples: examples(of: method)
      ) { invocation throws(UsageError) in
        .api(.request(request: try spec(method.uppercased(), isExplicit: true, invocation)))
      }
    } + [
      CommandSpec(
        ["api"],
        "ask a service; for a method without a command, write it in capitals before TARGET",
        arguments: requestArguments, options: requestOptions,
        examples: ["api sample/character/1", "api PURGE sample/items"]
      ) { invocation throws(UsageError) in
        let target = try invocation.required("target").template
        if let method = target.text, isMethod(method) {
          var items = invocation.arguments("item")
          guard !items.isEmpty else {
            throw UsageError("where to? SERVICE/PATH or an address is missing behind \(method)")
          }
          return .api(
            .request(
              request: try spec(
                method, isExplicit: true, invocation, target: items.removeFirst().template,
                items: items)))
        }
        let shown = target.description
        guard shown.contains("/") else {
          let words = table.specs.compactMap { $0.path.dropFirst().first }
          throw UsageError(
            "'\(shown)' is not a method, sub-command, SERVICE/PATH or address",
            help: Suggestion.advice(for: shown, among: words, after: ["api"])
              ?? "'help api' lists what there is", at: invocation.argument("target"))
        }
        return .api(.request(request: try spec("GET", isExplicit: false, invocation)))
      },
      CommandSpec(
        ["api", "run"], "send a request that was kept with --save",
        arguments: [
          savedRequest,
          ArgumentSpec(
            "item", "more items, or others", kind: .item, optional: true, repeating: true),
        ], options: AnswerViewOptions.specs,
        examples: [
          "api run first-page", "api run first-page page==2 --select results[0].name",
        ]
      ) { invocation throws(UsageError) in
        .api(
          .runSaved(
            name: try invocation.requiredText("name"),
            items: try items(invocation.arguments("item")),
            view: try AnswerViewOptions.read(invocation), isChecked: true, checksType: true,
            checksOptions: true))
      },
      CommandSpec(
        ["api", "saved", "list"], "list the requests that were kept with --save",
        examples: ["api saved list"]
      ) { _ in .api(.savedList) },
      CommandSpec(
        ["api", "saved", "show"],
        "show a request that was kept with --save as the line that makes it",
        arguments: [savedRequest], examples: ["api saved show first-page"]
      ) { invocation throws(UsageError) in
        .api(.savedShow(name: try invocation.requiredText("name")))
      },
      CommandSpec(
        ["api", "saved", "remove"], "forget a request that was kept with --save",
        arguments: [savedRequest], examples: ["api saved remove first-page"]
      ) { invocation throws(UsageError) in
        .api(.savedRemove(name: try invocation.requiredText("name")))
      },
      CommandSpec(
        ["api", "service", "add"], "name a service",
        arguments: [
          ArgumentSpec("name", "letters, digits, - and _"),
          ArgumentSpec("url", "its address, http or https"),
        ],
        options: [
          OptionSpec(
            "auth", value: "HOW",
            AuthenticationParser.forms, kind: .prefix(AuthenticationParser.schemes)),
          OptionSpec(
            "preset", value: "KIND",
            "the program that answers: it decides where the key goes and which commands ask it",
            kind: .choice(ServicePreset.allCases.map(\.rawValue))),
          OptionSpec(
            "secret", value: "NAME",
            "with --preset: the secret, where it has another name than the service",
            kind: .secret),
          OptionSpec(
            "user", value: "NAME", "with --preset nzbget: the user, where it is not nzbget"),
        ],
        examples: [
          "api service add rick-and-morty https://rickandmortyapi.com/api",
          "api service add radarr http://nas:7878/api/v3 --auth header:X-Api-Key={{secret:radarr}}",
        ]
      ) { invocation throws(UsageError) in
        .api(.serviceAdd(service: try newService(invocation)))
      },
      CommandSpec(
        ["api", "service", "list"], "list the services",
        examples: ["api service list"]
      ) { _ in .api(.serviceList) },
      CommandSpec(
        ["api", "service", "show"], "show a service", arguments: [service],
        examples: ["api service show films"]
      ) { invocation throws(UsageError) in
        .api(.serviceShow(name: try invocation.requiredText("name")))
      },
      CommandSpec(
        ["api", "service", "remove"], "forget a service", arguments: [service],
        examples: ["api service remove films"]
      ) { invocation throws(UsageError) in
        .api(.serviceRemove(name: try invocation.requiredText("name")))
      },
      CommandSpec(
        ["api", "service", "test"], "ask whether a service answers and takes its key",
        arguments: [service], examples: ["api service test films"]
      ) { invocation throws(UsageError) in
        .api(.serviceTest(name: try invocation.requiredText("name")))
      },
      CommandSpec(
        ["api", "recent"], "list what was asked last",
        arguments: [ArgumentSpec("text", "only what contains it", optional: true)],
        examples: ["api recent", "api recent character"]
      ) { invocation throws(UsageError) in
        .api(.recent(text: try plainIfGiven(invocation.argument("text"), "api recent")))
      },
      CommandSpec(
        ["api", "stats"],
        "count the requests and answers of this run of the program, with the last times",
        examples: ["api stats"]
      ) { _ in .api(.stats) },
      CommandSpec(
        ["api", "cache", "list"], "list the kept answers",
        examples: ["api cache list"]
      ) { _ in .api(.cacheList) },
      CommandSpec(
        ["api", "cache", "stats"], "count the kept answers",
        examples: ["api cache stats"]
      ) { _ in .api(.cacheStats) },
      CommandSpec(
        ["api", "cache", "clear"], "forget the kept answers",
        arguments: [
          ArgumentSpec("service", "only this service's", kind: .service, optional: true)
        ],
        examples: ["api cache clear", "api cache clear sample"]
      ) { invocation throws(UsageError) in
        .api(.cacheClear(service: try plainIfGiven(invocation.argument("service"), "api cache")))
      },
      CommandSpec(
        ["api", "cancel"], "cancel requests in flight",
        arguments: [ArgumentSpec("job", "a job's number, or all", optional: true)],
        examples: ["api cancel", "api cancel all"]
      ) { invocation throws(UsageError) in
        guard let argument = invocation.argument("job"), argument.text != "all" else {
          return .api(.cancel(job: nil))
        }
        guard let text = argument.text, let job = Int(text) else {
          throw UsageError(
            "a job is a number, or all", help: "'jobs' lists what runs", at: argument)
        }
        return .api(.cancel(job: job))
      },
    ])

  // MARK: Parts

  /// Whether a word is a method of its own: capital letters, digits and dashes.
  static func isMethod(_ word: String) -> Bool {
    (word.utf8.first.map { (0x41...0x5A).contains($0) } ?? false)
      && word.utf8.allSatisfy {
        (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
      }
  }

  /// - Parameters:
  ///   - target: `nil`: the argument of that name.
  ///   - items: `nil`: the arguments of that name.
  private static func spec(
    _ method: String, isExplicit: Bool, _ invocation: Invocation,
    target location: SecretTemplate? = nil,
    items words: [Argument]? = nil
  ) throws(UsageError) -> APIRequestSpec {
    let target = if let location { location } else { try invocation.required("target").template }
    var spec = APIRequestSpec(method: method, isExplicit: isExplicit, target: target)
    if case .text(let text)? = target.parts.first, spec.isAddress, !ServiceAddress.isAddress(text) {
      spec.isAtService = true
    }
    spec.items = try items(words ?? invocation.arguments("item"))
    try RequestOptions.read(invocation, into: &spec)
    try checkMembers(of: spec, words ?? invocation.arguments("item"))
    try checkOptions(of: spec, words ?? invocation.arguments("item"), invocation)
    if let type = spec.typeOfMultipart {
      throw UsageError(
        "a multipart body has its own \(spec.items[type].name), which cannot be set",
        help: APIRequestSpec.helpForMultipart, at: (words ?? invocation.arguments("item"))[type])
    }
    if let policy = try invocation.text("cache"), let cache = CachePolicy(rawValue: policy) {
      spec.cache = cache
    }
    if let timeout = invocation.option("timeout") {
      spec.timeout = try timeout.timeLimit(named: "--timeout").microseconds / 1000
    }
    spec.retries = try count("retry", invocation)
    spec.follow = try count("follow", invocation)
    if invocation.option("retry") != nil { spec.added = [.attempts] }
    if invocation.option("follow") != nil { spec.added = (spec.added ?? []) + [.redirects] }
    // Its answer has no body.
    if method == "HEAD" { spec.shown = .headers }
    if let view = try AnswerViewOptions.read(invocation) { spec.show(view) }
    if let limit = try invocation.int("compressed-limit", in: 1 ... .max) {
      spec.compressedLimit = Int64(limit)
    }
    let captures = try self.captures(invocation.options("capture"))
    if !captures.isEmpty { spec.captures = captures }
    spec.out = try out(invocation)
    if invocation.flag("resume") {
      guard spec.out != nil, method == "GET" else {
        throw UsageError("--resume goes with --out FILE and GET")
      }
      // The service may be asked twice, and standard input is there once.
      guard !spec.items.contains(where: \.readsInput) else {
        throw UsageError("--resume goes with a body that can be sent again, not with -")
      }
      if let range = spec.items.firstIndex(where: \.choosesRange) {
        throw UsageError(
          "--resume asks for the missing bytes itself, without \(spec.items[range].name)",
          help: "leave --resume out to get the range that a header names",
          at: (words ?? invocation.arguments("item"))[range])
      }
      spec.resumes = true
    }
    spec.save = try invocation.name("save")
    return spec
  }

  private static func out(_ invocation: Invocation) throws(UsageError) -> String? {
    guard let out = try invocation.text("out") else { return nil }
    guard !out.isEmpty else {
      throw UsageError(
        "the name of a file is empty", help: "an empty variable? --out takes the name of a file",
        at: invocation.option("out"))
    }
    guard out != "-" else {
      throw UsageError(
        "--out takes the name of a file, not '-'",
        help: "without --out the body goes to standard output; './-' is a file of that name",
        at: invocation.option("out"))
    }
    if let select = invocation.option("select") {
      throw UsageError(
        "--out writes the whole body, so that --select has nothing to show",
        help: "'> FILE' writes what --select shows", at: select)
    }
    return out
  }

  private static func captures(_ options: [Argument]) throws(UsageError) -> [APICapture] {
    var captures: [APICapture] = []
    for option in options {
      let capture = try capture(option)
      guard !captures.contains(where: { $0.name.hasSameBytes(as: capture.name) }) else {
        throw UsageError(
          "two values are captured as the secret '\(capture.name)'",
          help: "a secret has one value: give each --capture its own NAME", at: option)
      }
      captures.append(capture)
    }
    return captures
  }

  private static func capture(_ option: Argument) throws(UsageError) -> APICapture {
    let text = try plain(option, "--capture")
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError(
        "--capture takes NAME=PATH, not '\(text)'", help: "for example --capture k=body.token",
        at: option)
    }
    let path = String(parts[1])
    let isPath = (try? JSONPath(parsing: path)) != nil
    let root = path.prefix { $0 != "." && $0 != "[" }
    guard isPath, root == "body" || root == "headers" else {
      throw UsageError(
        "'\(path)' is not a path into an answer",
        help: "it begins with body or headers: body.token",
        at: option)
    }
    return APICapture(name: String(parts[0]), path: path)
  }

  /// The highest `--follow`, and the highest `--retry`.
  static let highestCount = 100

  private static func count(_ option: String, _ invocation: Invocation) throws(UsageError) -> Int {
    guard let count = try invocation.int(option) else { return 0 }
    guard (0...highestCount).contains(count) else {
      throw UsageError(
        "--\(option) takes 0 to \(highestCount), not \(count)", at: invocation.option(option))
    }
    return count
  }

  static func items(_ words: [Argument]) throws(UsageError) -> [APIItem] {
    var items: [APIItem] = []
    for argument in words {
      let item = try APIItem.parse(argument)
      if item.kind == .header, let sign = argument.text?.first, "{[".contains(sign) {
        throw UsageError(
          "'\(argument.shown)' is not a header",
          help: "JSON as it is: --json-body TEXT or @FILE; one member of it: a:=1", at: argument)
      }
      if item.hasControls {
        throw UsageError("the header \(item.name) has control characters", at: argument)
      }
      if item.followsFromBody {
        throw UsageError(
          "the header \(item.name) follows from the body, and cannot be set",
          help: "leave it out: a body of known length is sent with its length, any other in chunks",
          at: argument)
      }
      if item.readsInput, items.contains(where: \.readsInput) {
        throw UsageError(
          "standard input is there once, and an earlier item of the line reads it",
          help: "give the others from files: @FILE in place of @-", at: argument)
      }
      items.append(item)
    }
    return items
  }

  /// Refuses a member of a JSON body that is there twice, or that does not fit to the others.
  private static func checkMembers(
    of spec: APIRequestSpec, _ words: [Argument]
  ) throws(UsageError) {
    guard let problem = spec.memberProblem else { return }
    var help = problem.help(spec.items[problem.member].name)
    if case .repeated = problem.reason { help += "; a form, which may repeat a name: --form" }
    throw UsageError(
      problem.message { words[$0].shown }, help: help, at: words[problem.member])
  }

  /// Refuses an item that makes an option void, or that sets what an option sets.
  private static func checkOptions(
    of spec: APIRequestSpec, _ words: [Argument], _ invocation: Invocation
  ) throws(UsageError) {
    if let encoding = spec.encoding, let file = spec.fileBesideEncoding {
      throw UsageError(
        "--\(encoding.rawValue) makes a body of members, and @FILE is the whole body",
        help: APIRequestSpec.helpForWholeBody, at: words[file])
    }
    if let name = spec.queryItem(alsoSetBy: spec.authentication) {
      throw UsageError(
        "--auth sets the query item \(name), which the line has too: give one of them",
        at: invocation.option("auth"))
    }
  }

  /// Refuses `--secret` and `--user` where nothing uses them.
  private static func checkKey(
    of preset: ServicePreset?, _ invocation: Invocation
  ) throws(UsageError) {
    guard let option = invocation.option("secret") ?? invocation.option("user") else { return }
    guard invocation.option("auth") == nil else {
      throw UsageError(
        "--secret and --user go with --preset alone, not with --auth",
        help: "--auth names the secret itself, as in --auth basic:USER:{{secret:NAME}}", at: option)
    }
    guard let preset else { throw UsageError("--secret and --user go with --preset", at: option) }
    if let user = invocation.option("user"), !preset.takesUser {
      throw UsageError("--user goes with --preset nzbget", at: user)
    }
    if let secret = invocation.option("secret"), !preset.takesKey {
      throw UsageError(
        "--preset \(preset.rawValue) has no key, so --secret has no use",
        help: "leave --secret out", at: secret)
    }
  }

  private static func user(_ invocation: Invocation) throws(UsageError) -> String? {
    guard let user = try invocation.text("user") else { return nil }
    if let problem = AuthenticationParser.problem(ofUser: user) {
      throw UsageError(problem, at: invocation.option("user"))
    }
    return user
  }

  private static func newService(_ invocation: Invocation) throws(UsageError) -> APIService {
    let name = try invocation.requiredText("name")
    guard ServiceName.isValid(name) else {
      throw UsageError(
        "'\(name)' is not a valid service name", help: "use letters, digits, - and _",
        at: invocation.argument("name"))
    }
    var url = try invocation.requiredText("url")
    guard let problem = ServiceAddress.problem(ofService: url) else {
      while url.hasSuffix("/") { url.removeLast() }
      var service = APIService(name: name, baseURL: url)
      service.preset = try invocation.text("preset")
      let preset = service.preset.flatMap(ServicePreset.init(rawValue:))
      try checkKey(of: preset, invocation)
      if let auth = invocation.option("auth") {
        service.authentication = try AuthenticationParser.parse(auth)
      } else {
        service.authentication = preset?.authentication(
          secret: try invocation.text("secret") ?? name, user: try user(invocation))
      }
      let target = APIRequestSpec(method: "GET", isExplicit: true, target: SecretTemplate(url))
      if let name = target.queryItem(alsoSetBy: service.authentication) {
        throw UsageError(
          "the authentication sets the query item \(name), which the address has too",
          help: "leave '\(name)' out of the address, or give no authentication",
          at: invocation.argument("url"))
      }
      return service
    }
    throw UsageError(
      problem,
      help: "for example http://127.0.0.1:7878/api/v3, with --auth basic:USER:{{secret:NAME}}",
      at: invocation.argument("url"))
  }
}

extension FeatureCommand<APIAction> {
  static func api(_ command: APICommand) -> Self {
    Self(readsInput: command.readsInput) {
      .run(context: $0, command: command)
    }
  }
}
