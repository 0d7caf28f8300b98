import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

enum MediaCommands {
  private static let service = ArgumentSpec(
    "service", "a service with the preset radarr, sonarr or lidarr", kind: .mediaService)
  private static let id = ArgumentSpec("id", "the number in 'media list'", kind: .int)
  private static let retry = OptionSpec(
    "retry", value: "N",
    "ask again after a failure of the program, N times, at most 100; a Retry-After is ignored")
  private static let term = ArgumentSpec(
    "term", "a title, or a number of the catalogue: tmdb:438631", repeating: true)

  static let table = CommandTable<FeatureCommand<MediaAction>>([
    CommandSpec(
      ["media", "list"], "list the library of a program", arguments: [service],
      options: [
        OptionSpec(
          "cache", value: "POLICY",
          "localFirst: what is kept; remoteFirst: ask, and show what is kept if the program is out "
            + "of reach; noCache: ask, and keep nothing",
          kind: .choice(CachePolicy.allCases.map(\.rawValue))), retry,
      ], examples: ["media list films", "media list films --cache localFirst -o csv"]
    ) { invocation throws(UsageError) in try command(.list, invocation) },
    CommandSpec(
      ["media", "show"], "show an item of the library", arguments: [service, id],
      options: [retry], examples: ["media show films 1"]
    ) { invocation throws(UsageError) in
      try command(.show(id: try number(invocation)), invocation)
    },
    CommandSpec(
      ["media", "search"], "look up what can be added; 'media find' searches the indexers",
      arguments: [service, term], options: [retry],
      examples: ["media search films dune", "media search films tmdb:201"]
    ) { invocation throws(UsageError) in
      try command(.search(term: try words(invocation)), invocation)
    },
    CommandSpec(
      ["media", "add"], "add what a look-up finds to the library",
      details: "Where there is one item, quality profile, root folder or metadata profile, it is "
        + "taken. Where there are several, an option says which; without one, a terminal asks.",
      arguments: [service, term],
      options: [
        OptionSpec("pick", value: "N", "which of what 'media search' lists, from 1"),
        OptionSpec("profile", value: "NAME", "the quality profile"),
        OptionSpec("root", value: "PATH", "the root folder"),
        OptionSpec("metadata", value: "NAME", "the metadata profile, for Lidarr"),
        OptionSpec(flag: "unmonitored", "do not look for it"),
        OptionSpec(flag: "find", "search the indexers for it at once"),
      ],
      examples: [
        "media add films tmdb:201 --profile HD-1080p",
        "media add films dune --pick 2 --profile Any --find",
      ]
    ) { invocation throws(UsageError) in
      try command(.add(order: try order(invocation)), invocation)
    },
    CommandSpec(
      ["media", "remove"], "remove an item from the library", arguments: [service, id],
      options: [OptionSpec(flag: "delete-files", "delete its files as well")],
      examples: ["media remove films 3"]
    ) { invocation throws(UsageError) in
      let deletes = invocation.flag("delete-files")
      return try command(.remove(id: try number(invocation), deletesFiles: deletes), invocation)
    },
    CommandSpec(
      ["media", "monitor"], "have the program look for an item, or no more",
      arguments: [service, id], options: [OptionSpec(flag: "off", "no more")],
      examples: ["media monitor films 1", "media monitor films 1 --off"]
    ) { invocation throws(UsageError) in
      try command(
        .monitor(id: try number(invocation), isMonitored: !invocation.flag("off")), invocation)
    },
    CommandSpec(
      ["media", "find"], "have the program search its indexers for an item",
      arguments: [service, id], examples: ["media find films 1"]
    ) { invocation throws(UsageError) in
      try command(.find(id: try number(invocation)), invocation)
    },
    CommandSpec(
      ["media", "queue"], "list what is being downloaded for the library", arguments: [service],
      options: [retry], examples: ["media queue films"]
    ) { invocation throws(UsageError) in try command(.queue, invocation) },
    CommandSpec(
      ["media", "queue", "remove"], "remove a download, also from the program that downloads it",
      arguments: [service, ArgumentSpec("id", "the number in 'media queue'", kind: .int)],
      options: [OptionSpec(flag: "blocklist", "do not download this release again")],
      examples: ["media queue remove films 1", "media queue remove films 1 --blocklist"]
    ) { invocation throws(UsageError) in
      let blocks = invocation.flag("blocklist")
      return try command(
        .removeDownload(id: try number(invocation), blocksRelease: blocks), invocation)
    },
    CommandSpec(
      ["media", "calendar"], "list releases: films by their dates, episodes, albums",
      details: "Days begin at 00:00 UTC.", arguments: [service],
      options: [
        OptionSpec("days", value: "N", "how many days, today included, up to 1000; 7 without this"),
        OptionSpec("from", value: "DATE", "the first day, like 2026-11-01; today without this"),
        OptionSpec("to", value: "DATE", "the last day, in place of --days"), retry,
      ],
      examples: [
        "media calendar films --days 30", "media calendar films --from 2026-11-01 --to 2026-12-31",
      ]
    ) { invocation throws(UsageError) in
      try command(.calendar(days: try days(invocation)), invocation)
    },
  ])

  /// The line of a link: `media/SERVICE`, `media/SERVICE/ID`.
  static func words(for link: BoardLink) -> [String]? {
    guard link.query.isEmpty else { return nil }
    // Every command needs a service, and help says which commands there are.
    guard let service = link.path.first else { return ["help", "media"] }
    switch link.path.count {
    case 1: return ["media", "list", service]
    case 2 where Int(link.path[1]) != nil: return ["media", "show", service, link.path[1]]
    default: return nil
    }
  }

  // MARK: Parts

  private static func command(
    _ request: MediaCommand.Request, _ invocation: Invocation
  ) throws(UsageError) -> FeatureCommand<MediaAction> {
    let command = MediaCommand(
      request, of: try invocation.requiredText("service"),
      cache: try invocation.text("cache").flatMap(CachePolicy.init),
      retries: try invocation.int("retry", in: 0...100) ?? 0)
    return FeatureCommand { .run(context: $0, command: command) }
  }

  private static func number(_ invocation: Invocation) throws(UsageError) -> Int {
    try invocation.requiredInt("id", in: 1...Int(Int32.max))
  }

  private static func words(_ invocation: Invocation) throws(UsageError) -> String {
    let words = try plain(invocation.arguments("term"), "media")
    let term = words.joined(separator: " ")
    guard term.contains(where: { !$0.isWhitespace }) else {
      throw UsageError("a look-up needs a title", at: invocation.argument("term"))
    }
    try checkLength(term, invocation.argument("term"))
    return term
  }

  private static func order(_ invocation: Invocation) throws(UsageError) -> MediaOrder {
    var order = MediaOrder(
      try words(invocation), pick: try invocation.int("pick", in: 1...1000),
      isMonitored: !invocation.flag("unmonitored"), searches: invocation.flag("find"))
    order.options[.qualityProfile] = try invocation.text("profile")
    order.options[.rootFolder] = try invocation.text("root")
    order.options[.metadataProfile] = try invocation.text("metadata")
    return order
  }

  private static func days(_ invocation: Invocation) throws(UsageError) -> MediaDays {
    try invocation.exclusive("days", "to")
    let day: Int64 = 86_400_000_000
    let from = try date("from", invocation)
    if let last = try date("to", invocation) {
      guard let from else {
        throw UsageError("--to needs --from", at: invocation.option("to"))
      }
      guard from <= last, last - from < 1000 * day else {
        throw UsageError(
          "--to is the same day as --from or up to 1000 days later", at: invocation.option("to"))
      }
      return MediaDays(from: from, count: Int((last - from) / day) + 1)
    }
    return MediaDays(from: from, count: try invocation.int("days", in: 1...1000) ?? 7)
  }

  private static func date(
    _ name: String, _ invocation: Invocation
  ) throws(UsageError) -> Int64? {
    guard let text = try invocation.text(name) else { return nil }
    guard text.count == 10, let date = Timestamp.microseconds(parsing: "\(text)T00:00:00.000000Z")
    else {
      throw UsageError(
        "--\(name) is a day like 2026-11-01, not '\(text)'", at: invocation.option(name))
    }
    return Int64(date)
  }
}
