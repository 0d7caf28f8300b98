/// Decides which transfer may begin: first come, first served, so many to a host and so many in
/// all.
///
/// A transfer takes a permit of its host as soon as one is free, in the order of arrival, and then
/// a global permit, in the order in which the hosts' permits were taken. Hosts therefore do not
/// wait for each other while global permits are free, and no transfer waits forever. All operations
/// are O(1), amortised.
struct AdmissionQueue {
  private enum Stage {
    /// Without a permit.
    case waiting
    /// With a permit of its host.
    case ready
    /// With both.
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

  /// A limit below 1 counts as 1: nothing could ever begin.
  init(perHost: Int, inAll: Int) {
    self.perHost = max(1, perHost)
    self.inAll = max(1, inAll)
  }

  /// How many have come and not yet begun.
  var count: Int { entries.count - active }

  /// Whether `next()` will give one.
  var hasNext: Bool { active < inAll && !ready.isEmpty }

  /// Takes one in. Ids are never used twice.
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

  /// The next that may begin now; it holds its permits until it is removed.
  mutating func next() -> UInt64? {
    guard active < inAll, let id = ready.popFirst() else { return nil }
    entries[id]?.stage = .active
    active += 1
    return id
  }

  /// Takes one out, whether it waits, is under way or has ended: its permits go to the next.
  /// Nothing happens for an unknown id.
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

/// Ids in order of arrival. Removal marks an id as stale. Stale ids are removed once they fill half
/// of the storage.
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

  /// `id` must be in the line.
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
