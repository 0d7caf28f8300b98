import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

enum MediaOutcomes {
  static func outcome(of action: MediaAction, in state: MediaState) -> Outcome? {
    switch action {
    case .run, .resolved: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .addition(let job, .added(let item, let chosen, let masked)):
      added(item, chosen, job).masked(masked)
    case .addition: nil
    case .answered(let job, let answer, let masked):
      // A command that changes an item has the item first.
      state.command(of: job) == nil ? outcome(of: answer, job).masked(masked) : nil
    }
  }

  private static func outcome(of answer: MediaAnswer, _ job: Int) -> Outcome {
    switch answer {
    case .library(let library): self.library(library, job)
    case .item(let resource): item(resource, job)
    case .found(let items, let more): found(items, more, job)
    case .changed(let item):
      Outcome(
        job: job, value: .object(members(item)),
        notes: ["\(item.name) is \(item.isMonitored ? "monitored" : "not monitored any more")"])
    case .removed(let id):
      Outcome(job: job, value: ["removed": JSON(id)], notes: ["removed \(id)"])
    case .queue(let queue): self.queue(queue, job)
    case .removedDownload(let id):
      Outcome(
        job: job, value: ["removed": JSON(id)],
        notes: ["removed \(id) from the queue"])
    case .calendar(let releases): calendar(releases, job)
    case .searching(let id, let status):
      Outcome(
        job: job,
        value: ["id": JSON(id), "status": .string(status)],
        notes: ["the search for \(id) is \(status)"])
    }
  }

  // MARK: Items

  private static let columns = [
    Column("id", alignment: .right, isIdentifier: true), Column("title", priority: 4),
    Column("year", priority: 1, alignment: .right), Column("monitored", priority: 2),
    Column("files", priority: 3, alignment: .right),
  ]

  private static func library(_ library: MediaLibrary, _ job: Int) -> Outcome {
    let count = library.items.count
    let monitored = library.items.count { $0.isMonitored }
    let verdict = library.verdict
    let summary = "\(Counted.text(count, "item")), \(monitored) monitored\(verdict.suffix)"
    return Outcome(
      job: job,
      value: [
        "items": .array(library.items.map { .object(members($0)) }),
        "verdict": .string(verdict.rawValue),
      ],
      presentation: .table(
        columns: columns,
        rows: library.items.map {
          [
            String($0.id), $0.title, $0.year.map(String.init) ?? "", $0.isMonitored ? "yes" : "no",
            "\($0.files)/\($0.wanted)",
          ]
        }),
      notes: [Outcome.Note(summary)]
        + verdict.notes(
          staleReason: library.staleReason, from: "program",
          advice: "--cache remoteFirst asks the program"))
  }

  /// All members of an item as JSON, and the ones that are shown as a record.
  private static func item(_ resource: MediaResource, _ job: Int) -> Outcome {
    let item = resource.item
    var fields = [("id", String(item.id)), ("title", item.title)]
    if let year = item.year { fields.append(("year", String(year))) }
    fields += [
      ("monitored", item.isMonitored ? "yes" : "no"), ("files", "\(item.files)/\(item.wanted)"),
    ]
    if let catalogue = item.catalogue { fields.append(("catalogue", catalogue)) }
    for name in ["status", "path"] {
      if let text = resource.json[name]?.stringValue { fields.append((name, text)) }
    }
    if let text = resource.json["overview"]?.stringValue { fields.append(("overview", text)) }
    // In the order that a recording has.
    let json = (try? JSON(parsing: CanonicalEncoder.encode(resource.json))) ?? resource.json
    return Outcome(job: job, value: json, presentation: .fields(fields))
  }

  private static func found(_ items: [MediaItem], _ more: Int?, _ job: Int) -> Outcome {
    Outcome(
      job: job, value: .array(items.map { .object(members($0)) }),
      presentation: .table(
        columns: [
          Column("pick", alignment: .right, isIdentifier: true), Column("title", priority: 3),
          Column("year", priority: 2, alignment: .right), Column("catalogue", priority: 2),
          Column("library", priority: 1, alignment: .right),
        ],
        rows: items.enumerated().map { index, item in
          [
            String(index + 1), item.title, item.year.map(String.init) ?? "", item.catalogue ?? "",
            item.id > 0 ? String(item.id) : "",
          ]
        }),
      notes: items.isEmpty
        ? ["nothing was found"]
        : more.map { ["there are \($0) more; a longer TEXT finds fewer"] } ?? [])
  }

  private static func added(_ item: MediaItem, _ chosen: [String], _ job: Int) -> Outcome {
    Outcome(
      job: job, value: .object(members(item)),
      notes: ["added \(item.name) as \(item.id): \(chosen.joined(separator: ", "))"])
  }

  private static func members(_ item: MediaItem) -> [JSON.Member] {
    [
      .init("id", JSON(item.id)), .init("title", .string(item.title)),
      .init("year", item.year.map { JSON($0) } ?? .null),
      .init("monitored", .bool(item.isMonitored)), .init("files", JSON(item.files)),
      .init("wanted", JSON(item.wanted)),
      .init("catalogue", JSON(item.catalogue)),
    ]
  }

  // MARK: The queue and the calendar

  private static func queue(_ queue: MediaQueue, _ job: Int) -> Outcome {
    Outcome(
      job: job,
      value: .array(
        queue.entries.map { entry in
          [
            "id": JSON(entry.id), "title": .string(entry.title), "size": JSON(entry.size),
            "left": JSON(entry.left), "timeLeft": JSON(entry.timeLeft),
            "status": .string(entry.status), "problem": JSON(entry.problem),
          ]
        }),
      presentation: .table(
        columns: [
          Column("id", alignment: .right, isIdentifier: true), Column("title", priority: 5),
          Column("done", priority: 4, alignment: .right),
          Column("size", priority: 1, alignment: .right),
          Column("left", priority: 2, alignment: .right), Column("status", priority: 3),
        ],
        rows: queue.entries.map { entry in
          [
            String(entry.id), entry.title, DownloadText.done(entry.left, of: entry.size),
            ByteCount.text(entry.size), entry.timeLeft ?? "",
            entry.problem.map { "\(entry.status): \($0)" } ?? entry.status,
          ]
        }),
      notes: [Outcome.Note(Counted.text(queue.count, "download"))]
        + (queue.entries.count < queue.count
          ? [.warning("only \(queue.entries.count) of \(queue.count) downloads are shown")]
          : []))
  }

  private static func calendar(_ releases: [MediaRelease], _ job: Int) -> Outcome {
    Outcome(
      job: job,
      value: .array(
        releases.map { release in
          [
            "date": .string(Timestamp.format(release.date)), "kind": .string(release.kind.rawValue),
            "id": JSON(release.id), "title": .string(release.title), "part": JSON(release.part),
            "hasFile": release.hasFile.map(JSON.bool) ?? .null,
          ]
        }),
      presentation: .table(
        columns: [
          Column("date", priority: 4), Column("kind", priority: 3), Column("title", priority: 5),
          Column("part", priority: 2), Column("file", priority: 1),
        ],
        rows: releases.map { release in
          let date = Timestamp.format(release.date)
          return [
            // The time of day of an episode counts; films and albums come out on a day.
            release.kind == .episode
              ? "\(date.prefix(10)) \(date.dropFirst(11).prefix(5))" : String(date.prefix(10)),
            release.kind.rawValue, release.title, release.part ?? "",
            release.hasFile == true ? "yes" : "",
          ]
        }),
      notes: releases.isEmpty ? ["nothing comes out in that time"] : [])
  }
}
