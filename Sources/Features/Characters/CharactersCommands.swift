import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

enum CharactersCommands {
  private static let asking = [
    OptionSpec(
      "cache", value: "POLICY",
      "localFirst: what is kept; remoteFirst: ask whether it still holds; noCache: ask, and keep "
        + "nothing",
      kind: .choice(CachePolicy.allCases.map(\.rawValue))),
    OptionSpec(
      "service", value: "NAME",
      "a service of the board; without this \(CharactersRequest.usualService), or the public one",
      kind: .service),
    OptionSpec(
      "retry", value: "N",
      "try again after a failure of the service, N times, at most 100; a Retry-After is ignored"),
  ]
  private static let page = OptionSpec(
    "page", value: "N", "the page, from 1; page==N does the same")
  private static let id = ArgumentSpec("id", "the character's number", kind: .int)

  static let table = CommandTable<FeatureCommand<CharactersAction>>([
    CommandSpec(
      ["characters", "list"], "list all characters, a page at a time",
      arguments: [
        ArgumentSpec("item", "page==N", kind: .query(["page"]), optional: true, repeating: true)
      ],
      options: [page] + asking,
      examples: ["characters list", "characters list --page 2 --cache noCache"]
    ) { invocation throws(UsageError) in
      let (filter, page) = try search(invocation)
      guard filter == CharacterFilter() else {
        throw UsageError(
          "'characters list' takes no filter", help: "'characters search \(filter.text)' does",
          at: invocation.argument("item"))
      }
      return .characters(.list(page: page, options: try options(invocation)))
    },
    CommandSpec(
      ["characters", "show"], "show a character", arguments: [id], options: asking,
      examples: ["characters show 1", "characters show 1 --cache remoteFirst"]
    ) { invocation throws(UsageError) in
      .characters(.show(id: try number(invocation), options: try options(invocation)))
    },
    CommandSpec(
      ["characters", "search"], "find characters; case does not matter, and parts are enough",
      arguments: [
        ArgumentSpec(
          "item", "\(CharacterFilter.names.joined(separator: "==, "))==, page==",
          kind: .query(CharacterFilter.names + ["page"]), optional: true, repeating: true)
      ], options: [page] + asking,
      examples: [
        "characters search name==rick status==alive", "characters search species==alien --page 2",
      ]
    ) { invocation throws(UsageError) in
      let (filter, page) = try search(invocation)
      return .characters(.search(filter: filter, page: page, options: try options(invocation)))
    },
    CommandSpec(
      ["characters", "image"], "write the picture of a character to a file", arguments: [id],
      options: [OptionSpec("out", value: "FILE", "replaced if it is there", kind: .file)] + asking,
      examples: ["characters image 1 --out rick.jpeg"]
    ) { invocation throws(UsageError) in
      guard let file = try invocation.text("out") else {
        throw UsageError("where to? --out FILE is missing", help: "for example --out 1.jpeg")
      }
      return .characters(
        .image(id: try number(invocation), file: file, options: try options(invocation)))
    },
    CommandSpec(
      ["characters", "refresh"], "ask the service again for what was shown last", options: asking,
      examples: ["characters refresh"]
    ) { invocation throws(UsageError) in
      .characters(.refresh(options: try options(invocation)))
    },
    CommandSpec(
      ["characters", "recent"], "list the recent searches, newest first",
      examples: ["characters recent"]
    ) { _ in .characters(.recent) },
    CommandSpec(
      ["characters", "recent", "remove"], "forget a recent search",
      arguments: [ArgumentSpec("text", "as 'characters recent' lists it", repeating: true)],
      examples: ["characters recent remove name==rick"]
    ) { invocation throws(UsageError) in
      let words = try plain(invocation.arguments("text"), "characters recent remove")
      return .characters(.recentRemove(text: words.joined(separator: " ")))
    },
  ])

  /// The line of a link: `characters/1`, `characters?page=2`, `characters/search?name=rick`,
  /// `characters/recent`.
  static func words(for link: BoardLink) -> [String]? {
    let items = link.query.map { "\($0.name)==\($0.value)" }
    switch link.path {
    case []: return ["characters", "list"] + items
    case ["search"]: return ["characters", "search"] + items
    case ["recent"] where items.isEmpty: return ["characters", "recent"]
    default:
      guard link.path.count == 1, items.isEmpty, Int(link.path[0]) != nil else { return nil }
      return ["characters", "show", link.path[0]]
    }
  }

  // MARK: Parts

  private static let numbers = 1...1_000_000

  private static func number(_ invocation: Invocation) throws(UsageError) -> Int {
    try invocation.requiredInt("id", in: numbers)
  }

  private static func options(_ invocation: Invocation) throws(UsageError) -> CharactersOptions {
    CharactersOptions(
      service: try invocation.text("service"),
      cache: try invocation.text("cache").flatMap(CachePolicy.init),
      retries: try invocation.int("retry", in: 0...100) ?? 0)
  }

  /// The filter and the page of a line's items and options.
  private static func search(
    _ invocation: Invocation
  ) throws(UsageError) -> (filter: CharacterFilter, page: Int) {
    var filter = CharacterFilter()
    var page = try invocation.int("page", in: numbers)
    var names: Set<String> = page == nil ? [] : ["page"]
    for word in invocation.arguments("item") {
      let (name, value) = try item(word)
      guard names.insert(name).inserted else {
        throw UsageError("\(name) is there twice", help: "leave one out", at: word)
      }
      if name == "page" {
        guard let number = Int(value), numbers.contains(number) else {
          throw UsageError("page takes a whole number from 1, not '\(value)'", at: word)
        }
        page = number
      } else {
        try check(value, of: name, word)
        filter[name] = value
      }
    }
    return (filter, page ?? 1)
  }

  /// What a text that is no filter may have meant: `name=rick`, or a name alone.
  private static func filter(like text: String) -> String {
    guard let equals = text.firstIndex(of: "=") else {
      return "name==\(text.isEmpty ? "rick" : text)"
    }
    return text[..<equals] + "==" + text[text.index(after: equals)...]
  }

  private static func item(_ word: Argument) throws(UsageError) -> (name: String, value: String) {
    let names = CharacterFilter.names + ["page"]
    let text = try kept(word, "characters")
    guard let end = text.end(ofFirst: "==") else {
      throw UsageError(
        "'\(text)' is no filter", help: "a filter is like \(Self.filter(like: text))",
        at: word)
    }
    let name = String(text[..<text.utf8.index(end, offsetBy: -2)])
    guard names.contains(name) else {
      throw UsageError(
        "there is no filter '\(name)'",
        help: Suggestion.advice(for: name, among: names)
          ?? "filters are \(names.joined(separator: ", "))",
        at: word)
    }
    let value = String(text[end...])
    guard !value.isEmpty else {
      throw UsageError("\(name)== needs a value", help: "leave it out to find all", at: word)
    }
    return (name, value)
  }

  /// Refuses a word that the service does not know, and would find nothing for.
  private static func check(
    _ value: String, of name: String, _ word: Argument
  ) throws(UsageError) {
    let known = [
      "status": ["alive", "dead", "unknown"],
      "gender": ["female", "male", "genderless", "unknown"],
    ]
    guard let words = known[name], !words.contains(value.lowercased()) else { return }
    throw UsageError(
      "\(name) is one of \(words.joined(separator: ", ")), not '\(value)'",
      help: Suggestion.advice(for: value.lowercased(), among: words), at: word)
  }
}

extension FeatureCommand<CharactersAction> {
  static func characters(_ command: CharactersCommand) -> Self {
    Self { .run(context: $0, command: command) }
  }
}
