/// A queue that limits the number of active transfers per host and in total, first in, first out.
///
/// A transfer takes a permit of its host as soon as one is free, in the order of arrival, and then
/// a global permit, in the order in which the hosts' permits were taken. Hosts therefore do not
/// wait for each other while global permits are free, and no transfer waits forever. All operations
/// are amortized O(1).
struct AdmissionQueue {
  private enum Stage {
    /// Without a permit.
    case waiting
    /// With a permit of its host.
    case ready
    /// With both permits.
    case active
  }

  private struct Host {
    var taken = 0
    var waiting = Line()
  }

  private let perHost: Int
  private let inAll: Int
  private var entries: [UInt64: (host: String, stage: Stage)] = [:]
  private var hosts: [String: Host] = [:]
  private var ready = Line()
  private var active = 0

  /// Creates a queue. A limit below 1 counts as 1, because otherwise no transfer could start.
  init(perHost: Int, inAll: Int) {
    self.perHost = max(1, perHost)
    self.inAll = max(1, inAll)
  }

  /// The number of transfers that have not started.
  var count: Int { entries.count - active }

  /// Whether `next()` returns a transfer.
  var hasNext: Bool { active < inAll && !ready.isEmpty }

  /// Adds a transfer. Ids must not be reused.
  mutating func add(_ id: UInt64, host: String) {
    if hosts[host, default: Host()].taken < perHost {
      hosts[host, default: Host()].taken += 1
      entries[id] = (host, .ready)
      ready.append(id)
    } else {
      entries[id] = (host, .waiting)
      hosts[host, default: Host()].waiting.append(id)
    }
  }

  /// Starts the next transfer and returns its id, or `nil` if none may start. The transfer holds
  /// its permits until it is removed.
  mutating func next() -> UInt64? {
    guard active < inAll, let id = ready.popFirst() else { return nil }
    entries[id]?.stage = .active
    active += 1
    return id
  }

  /// Removes a transfer at any stage. Its permits go to the next ones. An unknown id is ignored.
  mutating func remove(_ id: UInt64) {
    guard let (host, stage) = entries.removeValue(forKey: id) else { return }
    switch stage {
    case .waiting:
      hosts[host]?.waiting.remove(id)
      return
    case .ready: ready.remove(id)
    case .active: active -= 1
    }
    if let heir = hosts[host]?.waiting.popFirst() {
      entries[heir]?.stage = .ready
      ready.append(heir)
    } else {
      hosts[host]?.taken -= 1
      if hosts[host]?.taken == 0 { hosts[host] = nil }
    }
  }
}

/// Ids in the order of arrival. Removal marks an id as stale. Stale ids are removed once they fill
/// half of the storage.
private struct Line {
  private var ids: [UInt64] = []
  private var first = 0
  private var gone: Set<UInt64> = []

  var isEmpty: Bool { ids.count - first == gone.count }

  mutating func append(_ id: UInt64) { ids.append(id) }

  mutating func popFirst() -> UInt64? {
    while first < ids.count {
      let id = ids[first]
      first += 1
      if gone.remove(id) == nil {
        sweep()
        return id
      }
    }
    sweep()
    return nil
  }

  /// Removes an id, which must be present.
  mutating func remove(_ id: UInt64) {
    gone.insert(id)
    sweep()
  }

  private mutating func sweep() {
    guard first + gone.count > ids.count / 2 else { return }
    ids.removeFirst(first)
    first = 0
    guard !gone.isEmpty else { return }
    ids.removeAll { gone.contains($0) }
    gone = []
  }
}
