import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// The reducer of the feature. It determines the server of a command and stores the results.
///
/// ```text
/// run ─► downloads.service ─► resolved ─► downloads.queue ─► answered
/// run ─► … resolved ─► downloads.add ─► downloads.add.end ─► answered    a queue is changed
///                  └─► failed                                there is no such program
/// ```
struct DownloadsReducer: Reducer {
  func reduce(
    _ state: inout DownloadsState, _ action: DownloadsAction, _ dependencies: Dependencies
  ) -> [Effect<DownloadsAction>] {
    switch action {
    case .run(let context, let command):
      state.pending.append(
        PendingDownloads(job: context.job, command: command, timeout: context.timeout))
      return ProgramQuestion<DownloadsAction>(context.job, dependencies).find(
        service: command.service)
    case .resolved(let job, let service):
      guard let pending = state.pending.first(where: { $0.job == job }) else { return [] }
      do throws(Failure) {
        let server = try DownloadServer(
          service, named: pending.command.service, of: "downloads", timeout: pending.timeout)
        return ask(pending, server, &state, dependencies)
      } catch { return .send(.failed(job: job, failure: error)) }
    case .answered(let job, let answer, _):
      if let service = state.pending.first(where: { $0.job == job })?.command.service {
        state.show(answer, of: service)
      }
      state.end(job)
    case .failed(let job, _): state.end(job)
    }
    return []
  }

  /// Sends the request of a command.
  private func ask(
    _ pending: PendingDownloads, _ server: DownloadServer, _ state: inout DownloadsState,
    _ dependencies: Dependencies
  ) -> [Effect<DownloadsAction>] {
    let downloads = dependencies.downloadService
    let ask = ProgramQuestion<DownloadsAction>(
      pending.job, dependencies, retries: pending.command.retries)
    switch pending.command.request {
    case .list: return ask("queue") { .queue(queue: try await downloads.queue(of: server)) }
    case .history(let limit):
      // NZBGet always sends all of it.
      return ask("history", narrowing: server.program == .nzbget ? nil : "--limit N") {
        .history(downloads: try await downloads.history(of: server, limit: limit))
      }
    case .add(let download):
      return ask.change("add", in: &state.changes) {
        .added(id: try await downloads.add(download, to: server))
      }
    case .pause(let ids):
      return ask.change("pause", in: &state.changes) {
        try await downloads.pause(ids, on: server)
        return .paused(ids: ids)
      }
    case .resume(let ids):
      return ask.change("resume", in: &state.changes) {
        try await downloads.resume(ids, on: server)
        return .resumed(ids: ids)
      }
    case .remove(let ids, let deletesFiles):
      return ask.change("remove", in: &state.changes) {
        try await downloads.remove(ids, deletesFiles: deletesFiles, from: server)
        let deletesAnyway = server.program == .nzbget && !deletesFiles
        return .removed(ids: ids, deletedUnasked: deletesAnyway ? true : nil)
      }
    }
  }
}

extension DownloadsAction: ProgramAction {
  static let feature = "downloads"
}

extension DownloadsState {
  /// Removes a job from the waiting ones, whether or not it has its response.
  mutating func end(_ job: Int) {
    pending.removeAll { $0.job == job }
    changes?.end(job)
  }

  /// Keeps what was answered.
  fileprivate mutating func show(_ answer: DownloadsAnswer, of service: String) {
    switch answer {
    case .queue(var queue):
      queue.entries = queue.entries.prefix(Self.kept, bytes: Self.keptBytes)
      self.queue = ServiceContent(queue, of: service)
    case .history(let downloads):
      history = History(
        service: service, entries: downloads.prefix(Self.kept, bytes: Self.keptBytes))
    case .added(let id):
      added = Added(service: service, id: String(id.prefix(200)))
    case .paused(let ids): change(ids, of: service, isPaused: true, .paused)
    case .resumed(let ids): change(ids, of: service, isPaused: false, .queued)
    case .removed(let ids, _):
      guard queue?.service == service else { return }
      queue?.content.remove(ids)
    }
  }

  private mutating func change(
    _ ids: [String], of service: String, isPaused: Bool, _ status: DownloadQueue.Status
  ) {
    guard queue?.service == service else { return }
    if ids.isEmpty { queue?.content.isPaused = isPaused }
    queue?.content.set(status, of: ids)
  }
}

extension DownloadQueue {
  fileprivate mutating func set(_ status: Status, of ids: [String]) {
    for index in entries.indices where ids.contains(entries[index].id) {
      entries[index].status = status
    }
  }

  fileprivate mutating func remove(_ ids: [String]) {
    let before = entries.count
    entries.removeAll { ids.contains($0.id) }
    count &-= before - entries.count
  }
}
