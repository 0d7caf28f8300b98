extension CanonicalWriter {
  /// Puts a container's members or elements into their order and drops all but the last of equal
  /// keys.
  @inline(never)
  mutating func sort(_ frame: Frame) {
    let width = frame.kind == .pairs ? 2 : 1
    let entryCount = entries.count - frame.entries
    let count = (entryCount + width - 1) / width
    guard count > 1 else { return }
    let first = frame.start + 1
    let length = bytes.count - first
    // Small ones, the common case, are sorted without an allocation.
    withUnsafeTemporaryAllocation(of: Int.self, capacity: count * 2) { memory in
      withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { copy in
        guard let starts = memory.baseAddress, let source = copy.baseAddress else { return }
        let order = UnsafeMutableBufferPointer(start: starts + count, count: count)
        for index in 0..<count {
          starts[index] = entries.base[frame.entries + index * width].start
          order[index] = index
        }
        source.update(from: bytes.base + first, count: length)
        let end = bytes.count
        let view = SortView(
          bytes: UnsafePointer(source), offset: first, starts: UnsafePointer(starts),
          count: count, end: end, entries: UnsafePointer(entries.base + frame.entries),
          areMembers: frame.kind == .object, haveEscapes: frame.hasEscapedKeys)
        view.sort(order)
        var target = bytes.base + first
        for (position, index) in order.enumerated() {
          // Equal keys are adjacent, in the order in which they were written.
          if view.areMembers, position + 1 < count,
            view.compareKeys(index, order[position + 1]) == 0
          {
            continue
          }
          if target != bytes.base + first {
            target.pointee = UInt8(ascii: ",")
            target += 1
          }
          let range = view.range(index)
          target.update(from: source + (range.lowerBound - first), count: range.count)
          target += range.count
        }
        bytes.count = target - bytes.base
      }
    }
  }
}

/// A container's parts while they are sorted: the copy of its bytes and where each part begins.
private struct SortView {
  let bytes: UnsafePointer<UInt8>
  /// Where the copy began in the writer.
  let offset: Int
  let starts: UnsafePointer<Int>
  let count: Int
  let end: Int
  let entries: UnsafePointer<CanonicalWriter.Entry>
  let areMembers: Bool
  let haveEscapes: Bool

  func range(_ index: Int) -> Range<Int> {
    starts[index]..<(index + 1 < count ? starts[index + 1] - 1 : end)
  }

  private func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: bytes + (range.lowerBound - offset), count: range.count)
  }

  @inline(__always)
  func compareKeys(_ left: Int, _ right: Int) -> Int {
    if !haveEscapes, entries[left].prefix != entries[right].prefix {
      return entries[left].prefix < entries[right].prefix ? -1 : 1
    }
    return compareWholeKeys(left, right)
  }

  @inline(never)
  private func compareWholeKeys(_ left: Int, _ right: Int) -> Int {
    let left = slice(entries[left].start + 1..<entries[left].keyEnd)
    let right = slice(entries[right].start + 1..<entries[right].keyEnd)
    if !haveEscapes { return compareBytes(left, right) }
    // Escapes have to go first: a control character sorts by what it is, not by its backslash.
    return resolveEscapes(left).withUnsafeBufferPointer { left in
      resolveEscapes(right).withUnsafeBufferPointer { compareBytes(left, $0) }
    }
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    let order =
      areMembers ? compareKeys(left, right) : compareBytes(slice(range(left)), slice(range(right)))
    return order == 0 ? left < right : order < 0
  }

  func sort(_ order: UnsafeMutableBufferPointer<Int>) {
    guard order.count <= 16 else {
      var order = order
      order.sort(by: precedes)
      return
    }
    for index in 1..<order.count {
      let moving = order[index]
      var position = index
      while position > 0, precedes(moving, order[position - 1]) {
        order[position] = order[position - 1]
        position -= 1
      }
      order[position] = moving
    }
  }
}
