import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

/// The root reducer of the feature. It determines the server of a command and stores the results.
///
/// ```text
/// run ─► media.service ─► resolved ─► media.library ─► answered
/// run ─► … resolved ─► media.item ─► answered ─► media.update ─► … answered     monitor
/// run ─► … resolved ─► media.remove ─► media.remove.end ─► answered    something is changed
/// run ─► … resolved ─► begin … added                       add: see `MediaAdditionReducer`
/// resolved ─► failed                                       there is no such program
/// ```
struct MediaReducer: ComposedReducer {
  var body: some Reducer<MediaState, MediaAction, Dependencies> {
    MediaRouting()
      .forEach(
        \.additions,
        action: CasePath {
          .addition(job: $0.0, action: $0.1)
        } extract: {
          $0.addition
        },
        id: "addition"
      ) {
        MediaAdditionReducer()
      }
  }
}

/// What a command leads to.
private struct MediaRouting: Reducer {
  func reduce(
    _ state: inout MediaState, _ action: MediaAction, _ dependencies: Dependencies
  ) -> [Effect<MediaAction>] {
    switch action {
    case .run(let context, let command):
      state.pending.append(
        PendingMedia(job: context.job, command: command, timeout: context.timeout))
      return ProgramQuestion<MediaAction>(context.job, dependencies).find(service: command.service)
    case .resolved(let job, let service):
      guard let pending = state.pending.first(where: { $0.job == job }) else { return [] }
      do throws(Failure) {
        let server = try MediaServer(
          service, named: pending.command.service, of: "media", timeout: pending.timeout)
        state.edit(job) { $0.server = server }
        return begin(pending, server, &state, dependencies)
      } catch { return .send(.failed(job: job, failure: error)) }
    case .answered(let job, .item(let resource), let masked):
      if let change = state.change(of: job, resource) {
        return update(change, masked, job, &state, dependencies)
      }
      state.show(.item(resource: resource), of: job)
    case .answered(let job, let answer, _): state.show(answer, of: job)
    case .addition(let job, .added(let item, _, _)):
      if let service = state.command(of: job)?.service { state.show(item, of: service) }
      state.end(job)
    case .addition(let job, .failed(let failure)):
      return .send(.failed(job: job, failure: failure))
    case .failed(let job, _): state.end(job)
    case .addition: break
    }
    return []
  }

  /// Sends the request of a command.
  private func begin(
    _ pending: PendingMedia, _ server: MediaServer, _ state: inout MediaState,
    _ dependencies: Dependencies
  ) -> [Effect<MediaAction>] {
    let media = dependencies.mediaService
    let ask = ProgramQuestion<MediaAction>(
      pending.job, dependencies, retries: pending.command.retries)
    switch pending.command.request {
    case .list:
      let policy = pending.command.cache ?? .remoteFirst
      return ask("library") {
        let fetched = try await media.library(of: server, policy: policy)
        return .library(library: MediaLibrary(fetched, dependencies.logger.redactor))
      }
    case .show(let id):
      return ask("item") { .item(resource: try await media.item(id, on: server)) }
    case .monitor(let id, _):
      return ask("item", hasRetry: false) {
        .item(resource: try await media.item(id, on: server))
      }
    case .search(let term):
      return ask("lookup") {
        let found = try await media.lookup(term, on: server)
        let more = found.count - MediaAddition.kept
        return .found(
          items: found.prefix(MediaAddition.kept).map(\.item), more: more > 0 ? more : nil)
      }
    case .queue: return ask("queue") { .queue(queue: try await media.queue(of: server)) }
    case .calendar(let days):
      let (from, until) = days.range(today: dependencies.date.now)
      state.edit(pending.job) {
        $0.calendar = MediaState.Calendar(
          service: server.service.name, from: from, until: until, releases: [])
      }
      return ask("calendar", narrowing: "--days N") {
        .calendar(releases: try await media.calendar(of: server, from: from, until: until))
      }
    case .remove(let id, let deletesFiles):
      return ask.change("remove", in: &state.changes) {
        try await media.remove(id, deletesFiles: deletesFiles, from: server)
        return .removed(id: id)
      }
    case .removeDownload(let id, let blocksRelease):
      return ask.change("queue.remove", in: &state.changes) {
        try await media.removeDownload(id, blocksRelease: blocksRelease, from: server)
        return .removedDownload(id: id)
      }
    case .find(let id):
      return ask.change("search", in: &state.changes) {
        .searching(id: id, status: try await media.search(forItem: id, on: server))
      }
    case .add(let order):
      var addition = MediaAddition(job: pending.job, server: server, order: order)
      if state.changes != nil { addition.changes = [] }
      state.additions.append(addition)
      return .send(.addition(job: pending.job, action: .begin))
    }
  }

  /// Sends a changed item. Refuses one that contains a mark, because it would differ from the
  /// original.
  private func update(
    _ change: MediaResource, _ masked: MaskedValues?, _ job: Int, _ state: inout MediaState,
    _ dependencies: Dependencies
  ) -> [Effect<MediaAction>] {
    guard let pending = state.pending.first(where: { $0.job == job }), let server = pending.server
    else { return [] }
    if let masked { return .send(.failed(job: job, failure: .holdsSecrets(masked))) }
    let media = dependencies.mediaService
    let ask = ProgramQuestion<MediaAction>(
      pending.job, dependencies, retries: pending.command.retries)
    return ask.change("update", in: &state.changes) {
      try Failure.refuseMarks(in: change)
      return .changed(item: try await media.update(change, on: server).item)
    }
  }
}

extension MediaAction: ProgramAction {
  static let feature = "media"
}

extension MediaDays {
  /// From 00:00 UTC of the first day to that of the day after the last.
  fileprivate func range(today now: Int64) -> (from: Int64, until: Int64) {
    let day: Int64 = 86_400_000_000
    let from = from ?? now - ((now % day) + day) % day
    return (from, from &+ Int64(count) &* day)
  }
}

extension MediaState {
  /// Returns the command of a waiting job, or `nil` if the job has its response.
  func command(of job: Int) -> MediaCommand? { pending.first { $0.job == job }?.command }

  /// Removes a job from the waiting ones, whether or not it has its response.
  mutating func end(_ job: Int) {
    pending.removeAll { $0.job == job }
    additions.remove(id: job)
    changes?.end(job)
  }

  /// Returns whether the command of a job ends itself if it is cancelled.
  func endsCancelled(_ job: Int) -> Bool {
    changes.contains(job) || (additions[id: job]?.changes).contains(job)
  }

  /// Returns the changed item for a command that changes it, or `nil` for other commands.
  fileprivate func change(of job: Int, _ resource: MediaResource) -> MediaResource? {
    guard case .monitor(_, let isMonitored)? = command(of: job)?.request else { return nil }
    var changed = resource
    changed.json["monitored"] = .bool(isMonitored)
    return changed
  }

  /// Changes what is known of a job that waits.
  fileprivate mutating func edit(_ job: Int, _ change: (inout PendingMedia) -> Void) {
    guard let index = pending.firstIndex(where: { $0.job == job }) else { return }
    change(&pending[index])
  }

  /// Keeps an item; one that is too long is not kept.
  fileprivate mutating func show(_ item: MediaItem, of service: String) {
    self.item = item.upTo(bytes: Self.keptBytes).map { ServiceContent($0, of: service) }
  }

  /// Keeps what was answered.
  fileprivate mutating func show(_ answer: MediaAnswer, of job: Int) {
    guard let pending = pending.first(where: { $0.job == job }) else { return }
    let (command, service) = (pending.command, pending.command.service)
    end(job)
    switch answer {
    case .library(let library): self.library = Library(library, of: service)
    case .item(let resource): show(resource.item, of: service)
    case .changed(let item):
      show(item, of: service)
      if library?.service == service { library?.replace(item) }
    case .removed(let id):
      if item?.service == service, item?.id == id { item = nil }
      if library?.service == service { library?.remove(id) }
    case .found(let items, _):
      guard case .search(let term) = command.request else { return }
      lookup = Lookup(
        service: service, term: term, items: items.prefix(20, bytes: Self.keptBytes))
    case .queue(var queue):
      queue.entries = queue.entries.prefix(Self.kept, bytes: Self.keptBytes)
      self.queue = ServiceContent(queue, of: service)
    case .removedDownload(let id):
      guard queue?.service == service else { return }
      queue?.content.remove(id)
    case .calendar(let releases):
      calendar = pending.calendar
      calendar?.releases = releases.prefix(Self.kept, bytes: Self.keptBytes)
    case .searching: break
    }
  }
}

extension MediaQueue {
  fileprivate mutating func remove(_ id: Int) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
    entries.remove(at: index)
    count &-= 1
  }
}

extension MediaState.Library {
  fileprivate mutating func replace(_ item: MediaItem) {
    guard let index = items.firstIndex(where: { $0.id == item.id }) else { return }
    monitored &+= (item.isMonitored ? 1 : 0) - (items[index].isMonitored ? 1 : 0)
    items[index] = item
  }

  fileprivate mutating func remove(_ id: Int) {
    guard let index = items.firstIndex(where: { $0.id == id }) else { return }
    count &-= 1
    monitored &-= items[index].isMonitored ? 1 : 0
    items.remove(at: index)
  }
}
