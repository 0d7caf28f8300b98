import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON

enum DownloadsOutcomes {
  static func outcome(of action: DownloadsAction, _ context: OutcomeContext) -> Outcome? {
    switch action {
    case .run, .resolved: nil
    case .failed(let job, let failure): Outcome(job: job, failure: failure)
    case .answered(let job, let answer, let masked):
      outcome(of: answer, job, context).masked(masked)
    }
  }

  private static func outcome(
    of answer: DownloadsAnswer, _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    switch answer {
    case .queue(let queue): self.queue(queue, job, context)
    case .history(let downloads): history(downloads, job)
    case .added(let id):
      Outcome(
        job: job, value: ["id": .string(id)], presentation: .text(escapeControls(id)),
        notes: ["added"])
    case .paused(let ids): changed("paused", ids, job)
    case .resumed(let ids): changed("resumed", ids, job)
    case .removed(let ids, let deletedUnasked):
      changed(
        "removed", ids, job,
        deletedUnasked == true
          ? [.warning("NZBGet deletes the unfinished files of a removed download in any case")]
          : [])
    }
  }

  private static func changed(
    _ verb: String, _ ids: [String], _ job: Int, _ notes: [Outcome.Note] = []
  ) -> Outcome {
    let which = ids.isEmpty ? "all downloads" : ids.joined(separator: ", ")
    // Without an ID the whole queue is paused: an empty array would say that nothing was.
    return Outcome(
      job: job, value: .object([.init(verb, ids.isEmpty ? "all" : .array(ids.map(JSON.string)))]),
      notes: ["\(verb) \(which)"] + notes)
  }

  private static func queue(
    _ queue: DownloadQueue, _ job: Int, _ context: OutcomeContext
  ) -> Outcome {
    // In 80 columns there is room for the names or for the bars.
    let draws = context.draws(job) && (context.settings.width ?? 0) >= 100
    func done(_ entry: DownloadQueue.Entry) -> String {
      let size = entry.size &- (entry.pausedBytes ?? 0)
      let number = DownloadText.done(entry.left, of: size)
      guard draws, size > 0 else { return number }
      let fraction = 1 - Double(max(entry.left, 0)) / Double(size)
      let padding = String(repeating: " ", count: max(0, 4 - number.count))
      return Bar.text(fraction, width: 10, ascii: context.settings.isASCII) + " " + padding + number
    }
    let count = Counted.text(queue.count, "download")
    let pace = queue.isPaused ? "paused" : "\(ByteCount.text(queue.speed))/s"
    return Outcome(
      job: job,
      value: [
        "paused": .bool(queue.isPaused), "speed": JSON(queue.speed), "count": JSON(queue.count),
        "entries": .array(queue.entries.map { .object(members($0)) }),
      ],
      presentation: .table(
        columns: [
          Column("id", isIdentifier: true), Column("name", priority: 6),
          Column("status", priority: 3),
          Column("done", priority: 5, alignment: .right),
          Column("size", priority: 1, alignment: .right),
          Column("left", priority: 2, alignment: .right), Column("category", priority: 0),
        ],
        rows: queue.entries.map { entry in
          [
            entry.id, entry.name, entry.status.rawValue, done(entry),
            ByteCount.text(entry.size), entry.secondsLeft.map(DownloadText.time) ?? "",
            entry.category ?? "",
          ]
        }),
      notes: ["\(count), \(pace)"])
  }

  private static func members(_ entry: DownloadQueue.Entry) -> [JSON.Member] {
    [
      .init("id", .string(entry.id)), .init("name", .string(entry.name)),
      .init("status", .string(entry.status.rawValue)), .init("size", JSON(entry.size)),
      .init("left", JSON(entry.left)),
      .init("secondsLeft", entry.secondsLeft.map { JSON($0) } ?? .null),
      .init("category", JSON(entry.category)),
    ]
  }

  private static func history(_ downloads: [FinishedDownload], _ job: Int) -> Outcome {
    Outcome(
      job: job,
      value: .array(
        downloads.map { download in
          [
            "id": .string(download.id), "name": .string(download.name),
            "complete": .bool(download.isComplete), "status": .string(download.status),
            "problem": JSON(download.problem), "size": JSON(download.size),
            "ended": download.ended.map { .string(Timestamp.format($0)) } ?? .null,
          ]
        }),
      presentation: .table(
        columns: [
          Column("id", isIdentifier: true), Column("name", priority: 5),
          Column("status", priority: 4),
          Column("size", priority: 1, alignment: .right), Column("ended", priority: 2),
        ],
        rows: downloads.map { download in
          [
            download.id, download.name,
            download.problem.map { "\(download.status): \($0)" } ?? download.status,
            ByteCount.text(download.size),
            download.ended.map { String(Timestamp.format($0).prefix(16)) } ?? "",
          ]
        }),
      notes: downloads.isEmpty ? ["nothing was downloaded yet"] : [])
  }
}
