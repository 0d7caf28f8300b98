import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

enum DownloadsCommands {
  private static let service = ArgumentSpec(
    "service", "a service with the preset sabnzbd or nzbget", kind: .downloadService)
  private static let retry = OptionSpec(
    "retry", value: "N",
    "ask again after a failure of the program, N times, at most 100; a Retry-After is ignored")
  private static let ids = ArgumentSpec(
    "id", "a download of 'downloads list'; all of them without one", optional: true,
    repeating: true)

  static let table = CommandTable<FeatureCommand<DownloadsAction>>([
    CommandSpec(
      ["downloads", "list"], "list what is being downloaded", arguments: [service],
      options: [retry], examples: ["downloads list sab"]
    ) { invocation throws(UsageError) in try command(.list, invocation) },
    CommandSpec(
      ["downloads", "history"], "list what was downloaded, newest first", arguments: [service],
      options: [OptionSpec("limit", value: "N", "at most N, up to 1000; 20 without this"), retry],
      examples: ["downloads history sab --limit 5"]
    ) { invocation throws(UsageError) in
      try command(.history(limit: try invocation.int("limit", in: 1...1000) ?? 20), invocation)
    },
    CommandSpec(
      ["downloads", "add"], "download what an NZB file lists",
      arguments: [service, ArgumentSpec("url", "the address of the file")],
      options: [
        OptionSpec("name", value: "TEXT", "what the download is called"),
        OptionSpec("category", value: "NAME", "a category of the program"),
      ],
      examples: [
        "downloads add sab http://indexer.example/get/7.nzb --category films",
        "downloads add sab http://indexer.example/get/7?apikey={{secret:indexer}}",
      ]
    ) { invocation throws(UsageError) in
      try command(.add(download: try download(invocation)), invocation)
    },
    CommandSpec(
      ["downloads", "pause"], "let downloads wait", arguments: [service, ids],
      examples: ["downloads pause sab", "downloads pause sab SABnzbd_nzo_1"]
    ) { invocation throws(UsageError) in
      try command(.pause(ids: try uniqueIDs(invocation)), invocation)
    },
    CommandSpec(
      ["downloads", "resume"], "go on with downloads that wait", arguments: [service, ids],
      examples: ["downloads resume sab", "downloads resume sab SABnzbd_nzo_1"]
    ) { invocation throws(UsageError) in
      try command(.resume(ids: try uniqueIDs(invocation)), invocation)
    },
    CommandSpec(
      ["downloads", "remove"], "remove downloads from the queue",
      arguments: [
        service, ArgumentSpec("id", "a download of 'downloads list'", repeating: true),
      ],
      options: [
        OptionSpec(
          flag: "delete-files",
          "delete what has come of them; NZBGet always does, and keeps no history entry with this")
      ],
      examples: ["downloads remove sab SABnzbd_nzo_1"]
    ) { invocation throws(UsageError) in
      let ids = try uniqueIDs(invocation)
      let deletes = invocation.flag("delete-files")
      return try command(.remove(ids: ids, deletesFiles: deletes), invocation)
    },
  ])

  /// The line of a link: `downloads/SERVICE`, `downloads/SERVICE/history`.
  static func words(for link: BoardLink) -> [String]? {
    guard link.query.isEmpty else { return nil }
    // Every command needs a service, and help says which commands there are.
    guard let service = link.path.first else { return ["help", "downloads"] }
    switch link.path.dropFirst() {
    case []: return ["downloads", "list", service]
    case ["history"]: return ["downloads", "history", service]
    default: return nil
    }
  }

  /// The addresses of indexers often have a key in their query, or a password, which a line names
  /// as a secret.
  static let secretWords = SecretWords(
    advice: "write {{secret:NAME}} in its place; 'keychain set NAME' stores it",
    literal: { words in
      guard words.first?.text == "downloads" else { return nil }
      return words.lazy.compactMap(key).first
    })

  // MARK: Parts

  private static func key(_ word: Argument) -> SecretWords.Found? {
    // A password is in front of the @, and so is a token without a password.
    let secret: Character = "\u{FFFC}"
    let address = word.text(replacingSecretsWith: String(secret))
    if let user = ServiceAddress.user(in: address), user.last != secret {
      return SecretWords.Found(name: "user", form: "USER:{{secret:NAME}}@HOST")
    }
    for part in word.parts {
      guard case .text(let text) = part else { continue }
      guard let query = text.firstIndex(where: { $0 == "?" || $0 == "&" }) else { continue }
      for item in text[query...].split(whereSeparator: { $0 == "?" || $0 == "&" || $0 == "#" }) {
        guard let found = SecretQueryItem(item) else { continue }
        return SecretWords.Found(
          name: found.encodedName, form: "\(found.encodedName)={{secret:NAME}}")
      }
    }
    return nil
  }

  private static func command(
    _ request: DownloadsCommand.Request, _ invocation: Invocation
  ) throws(UsageError) -> FeatureCommand<DownloadsAction> {
    let command = DownloadsCommand(
      request, of: try invocation.requiredText("service"),
      retries: try invocation.int("retry", in: 0...100) ?? 0)
    return FeatureCommand { .run(context: $0, command: command) }
  }

  /// The IDs of a line, each once.
  private static func uniqueIDs(_ invocation: Invocation) throws(UsageError) -> [String] {
    var known: Set<ByteText> = []
    return try plain(invocation.arguments("id"), "downloads").filter {
      known.insert(ByteText($0)).inserted
    }
  }

  private static func download(_ invocation: Invocation) throws(UsageError) -> NewDownload {
    let address = try invocation.required("url")
    let scheme = address.leadingText.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), address.leadingText.contains("://") else {
      throw UsageError(
        "'\(address.shown)' is not an address", help: "it begins with http:// or https://",
        at: address)
    }
    let parts = address.parts.map { part -> NewDownload.Part in
      switch part {
      case .text(let text): .text(text: text)
      case .secret(let name): .secret(name: name)
      }
    }
    return NewDownload(
      parts, name: try invocation.text("name"), category: try invocation.text("category"))
  }
}
