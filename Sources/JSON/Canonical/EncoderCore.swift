#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The position of one value, or of a container that is being written. It is stale once the writer
/// has continued past it.
struct EncoderSlot {
  var depth: Int
  var serial: Int
}

/// The state that all encoders and containers of one encoding share.
///
/// Values are written directly to the output, and containers are frames on a stack. A write to a
/// container closes the containers that are open above it. If a closed container is written to
/// again, the encoding starts over with a `LinkedOutput`, which keeps all containers open to the
/// end.
final class EncoderCore {
  // Unchecked, since the checks would take a fifth of the time. No method accesses a property while
  // it calls code that could use this object. `writeByHand` passes the writer itself, and stores a
  // placeholder here during the call.
  @exclusivity(unchecked) var writer: CanonicalWriter
  /// The error if containers were used in a way that has no encoding.
  @exclusivity(unchecked) var failure: (any Error)?
  @exclusivity(unchecked) private(set) var needsLinks = false
  @exclusivity(unchecked) private(set) var links: LinkedOutput?
  /// The type whose `encode(to:)` was called last, and its slot.
  @exclusivity(unchecked) private var latestType: (any Any.Type)?
  @exclusivity(unchecked) private var latestSerial = 0
  @exclusivity(unchecked) private var budget = StackBudget()
  /// Types that are known not to be `CanonicalEncodable`, without classes, whose subclasses may be.
  @exclusivity(unchecked) private var plainTypes = TypeSet()

  init(_ writer: consuming CanonicalWriter) {
    self.writer = writer
  }

  /// - Parameter plain: A type that is known not to be `CanonicalEncodable`.
  init(_ writer: consuming CanonicalWriter, plain: any Any.Type) {
    self.writer = writer
    if !(plain is AnyClass) { plainTypes.insert(plain) }
  }

  /// Removes all written bytes, and keeps the memory.
  func reset() {
    writer.removeAll()
    failure = nil
    needsLinks = false
    rootIsEmpty = false
  }

  func takeWriter() -> CanonicalWriter {
    var taken = CanonicalWriter(placeholder: ())
    swap(&taken, &writer)
    return taken
  }

  // MARK: Whole values

  func encodeRoot<T: Encodable>(_ value: T) throws {
    try encodeInside(value)
    if writer.bytes.count == 0 || rootIsEmpty {
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: [], debugDescription: "\(T.self) encoded nothing, expected a value"))
    }
  }

  @exclusivity(unchecked) private var rootIsEmpty = false

  func encodeInside<T: Encodable>(_ value: T) throws {
    let before = writer.mark
    do {
      try write(value)
      if !needsLinks {
        if let failure { throw failure }
        return
      }
    } catch {
      if !needsLinks { throw error }
    }
    writer.rollBack(to: before)
    needsLinks = false
    failure = nil
    let links = LinkedOutput()
    self.links = links
    defer { self.links = nil }
    let root = links.makeRoot()
    var target = CanonicalWriter(capacity: 1)
    swap(&target, &writer)
    defer { swap(&target, &writer) }
    writer = CanonicalWriter()
    writer.findsRoundedValues = target.findsRoundedValues
    if beginSingle(root) { try write(value) }
    if let failure { throw failure }
    links.emit(root.serial, from: writer, to: &target)
    // The writer's own paths do not have the containers.
    if let kind = writer.roundedValue?.kind {
      target.noteRounding(RoundedValue(kind: kind, path: nil))
    }
  }

  // MARK: Positions

  /// Makes `slot` the innermost one by closing the slots above it. Returns `false` if it is closed
  /// itself.
  @inline(__always)
  func activate(_ slot: EncoderSlot) -> Bool {
    let top = writer.frames.count - 1
    if top == slot.depth, writer.frames.base[top].serial == slot.serial { return true }
    return reactivate(slot)
  }

  @inline(never)
  private func reactivate(_ slot: EncoderSlot) -> Bool {
    guard links == nil, slot.depth < writer.frames.count,
      writer.frames.base[slot.depth].serial == slot.serial
    else {
      needsLinks = true
      return false
    }
    while writer.frames.count - 1 > slot.depth { writer.pop() }
    return true
  }

  /// Begins a member. Returns whether its value may be written now.
  @inline(__always)
  func beginMember(_ slot: EncoderSlot, _ key: some CodingKey) -> Bool {
    if links != nil { return beginLinked(slot, key: key.stringValue) }
    guard activate(slot) else { return false }
    writer.key(key.stringValue)
    return true
  }

  /// Begins an element. Returns whether it may be written now.
  @inline(__always)
  func beginElement(_ slot: EncoderSlot) -> Bool {
    if links != nil { return beginLinked(slot, key: nil) }
    return activate(slot)
  }

  /// Begins a single value. Returns whether it may be written now.
  @inline(__always)
  func beginSingle(_ slot: EncoderSlot) -> Bool {
    if links != nil { return beginLinked(slot, key: nil) }
    guard activate(slot) else { return false }
    return becomes(slot, .scalar)
  }

  @inline(never)
  private func beginLinked(_ slot: EncoderSlot, key: String?) -> Bool {
    links?.begin(slot.serial, key: key, at: writer.bytes.count)
    return true
  }

  /// Returns a slot for a value inside the slot that has just been begun.
  @inline(__always)
  func push() -> EncoderSlot {
    if let links { return links.push() }
    let depth = writer.frames.count
    return EncoderSlot(depth: depth, serial: writer.push())
  }

  /// Decides the form of a slot. Repeated calls with the same form do nothing.
  func become(_ slot: EncoderSlot, _ kind: CanonicalWriter.Kind) {
    if let links {
      if !links.become(slot.serial, kind) { conflict(slot) }
      return
    }
    guard activate(slot) else { return }
    _ = becomes(slot, kind)
  }

  @inline(__always)
  private func becomes(_ slot: EncoderSlot, _ kind: CanonicalWriter.Kind) -> Bool {
    let frame = writer.frames.base + slot.depth
    if frame.pointee.kind == .open {
      if kind != .scalar { writer.open(kind) }
      return true
    }
    if frame.pointee.kind == kind, kind != .scalar { return true }
    conflict(slot)
    return false
  }

  /// The error that ends a run whose output will not be used. Only a write to a container that
  /// outlives its encoding throws it.
  private var staleError: EncodingError {
    .invalidValue(
      "a late value",
      .init(codingPath: [], debugDescription: "found a container that is closed, expected it open"))
  }

  private func conflict(_ slot: EncoderSlot) {
    failure =
      failure
      ?? EncodingError.invalidValue(
        "a second value",
        .init(
          codingPath: path(of: slot),
          debugDescription: "found a second value or container of another kind, expected one"))
  }

  /// Returns the kind of array for the value at `slot`. Its type determines whether its order is
  /// significant.
  func arrayKind(_ slot: EncoderSlot) -> CanonicalWriter.Kind {
    let type =
      links.map { $0.type(of: slot.serial) }
      ?? (latestSerial == slot.serial ? latestType : nil)
    if let unordered = type as? any UnorderedCollection.Type { return unordered.canonicalKind }
    return .array
  }

  /// Returns the existing nested container of a key that was used before, if links are kept.
  func existing(
    _ slot: EncoderSlot, _ key: some CodingKey, _ kind: CanonicalWriter.Kind
  ) -> EncoderSlot? {
    if let links { return links.child(of: slot.serial, key: key.stringValue, kind) }
    guard activate(slot) else { return nil }
    let frame = writer.frames.base[slot.depth]
    if frame.count > 0 {
      var name = key.stringValue
      name.withUTF8 { name in
        for index in frame.entries..<writer.entries.count {
          let entry = writer.entries.base[index]
          if compareBytes(writer.slice(entry.start + 1, entry.keyEnd), name) == 0 {
            needsLinks = true
          }
        }
      }
    }
    return nil
  }

  /// A closed slot. Writing to it makes the encoding start over.
  var nowhere: EncoderSlot { EncoderSlot(depth: .max, serial: -1) }

  func count(of slot: EncoderSlot) -> Int {
    if let links { return links.count(of: slot.serial) }
    guard slot.depth < writer.frames.count,
      writer.frames.base[slot.depth].serial == slot.serial
    else {
      needsLinks = true
      return 0
    }
    return writer.frames.base[slot.depth].count
  }

  func path(of slot: EncoderSlot) -> [any CodingKey] {
    links?.path(of: slot.serial) ?? writer.codingPath(of: slot.depth)
  }

  // MARK: Values

  /// Writes a value after a member, element or single value has been begun.
  func write<T: Encodable>(_ value: T) throws {
    // Each bit cast is from a type to itself, which the comparison has shown. A dynamic cast would
    // cost more than writing the value.
    if T.self == String.self { return writer.string(unsafeBitCast(value, to: String.self)) }
    if T.self == Int.self { return writer.int(unsafeBitCast(value, to: Int.self)) }
    if T.self == Double.self { return writer.double(unsafeBitCast(value, to: Double.self)) }
    if T.self == Bool.self { return writer.bool(unsafeBitCast(value, to: Bool.self)) }
    if T.self == Date.self { return try date(unsafeBitCast(value, to: Date.self)) }
    if T.self == UUID.self { return writer.uuid(unsafeBitCast(value, to: UUID.self)) }
    if T.self == Data.self { return writer.data(unsafeBitCast(value, to: Data.self)) }
    if T.self == URL.self {
      let url = unsafeBitCast(value, to: URL.self)
      if writer.findsRoundedValues, url.baseURL != nil { writer.noteRounding(.relativeURL) }
      return writer.string(url.absoluteString)
    }
    if T.self == JSON.self { return writer.json(unsafeBitCast(value, to: JSON.self)) }
    if T.self == [Int].self {
      writer.beginArray()
      for element in unsafeBitCast(value, to: [Int].self) { writer.int(element) }
      return writer.endArray()
    }
    if T.self == [String].self {
      writer.beginArray()
      for element in unsafeBitCast(value, to: [String].self) { writer.string(element) }
      return writer.endArray()
    }
    // Looking up a conformance costs as much as a small value.
    if !plainTypes.contains(T.self) {
      if let value = value as? any CanonicalEncodable { return try writeByHand(value) }
      if !(T.self is AnyClass) { plainTypes.insert(T.self) }
    }
    try writeByCodable(value)
  }

  private func date(_ value: Date) throws {
    guard links == nil else {
      guard let microseconds = Timestamp.microseconds(of: value) else {
        throw CanonicalWriter.error(for: value, at: links?.pathOfCurrent ?? [])
      }
      if writer.findsRoundedValues, Timestamp.date(microseconds: microseconds) != value {
        writer.noteRounding(.date)
      }
      return writer.timestamp(clamped: microseconds)
    }
    try writer.date(value)
  }

  private func writeByHand(_ value: any CanonicalEncodable) throws {
    var own = takeWriter()
    defer { swap(&own, &writer) }
    let depth = own.frames.count
    let (kind, count, end) = (
      own.frames.top.pointee.kind, own.frames.top.pointee.count, own.bytes.count
    )
    try value.encodeCanonical(to: &own)
    let isOne = kind == .object ? own.bytes.count > end : own.frames.top.pointee.count == count + 1
    guard own.frames.count == depth, isOne, !own.isMisused else {
      throw own.misuse(type(of: value))
    }
  }

  private func writeByCodable<T: Encodable>(_ value: T) throws {
    defer { budget.exit() }
    guard budget.enter(), budget.depth <= CanonicalEncoder.maximalNesting,
      writer.nesting < CanonicalEncoder.maximalNesting
    else {
      throw EncodingError.invalidValue(
        value,
        .init(
          codingPath: links?.pathOfCurrent ?? writer.codingPath(of: writer.frames.count),
          debugDescription: "found \(T.self) nested too deep, expected at most "
            + "\(CanonicalEncoder.maximalNesting) levels and what a small stack holds"))
    }
    let slot = push()
    links?.setType(T.self, of: slot.serial)
    latestType = T.self
    latestSerial = slot.serial
    try value.encode(to: CanonicalEncoding(core: self, slot: slot))
    guard links == nil else { return }
    // A write to another container has closed this one, which requires the second run.
    guard slot.depth < writer.frames.count,
      writer.frames.base[slot.depth].serial == slot.serial
    else { return }
    while writer.frames.count > slot.depth {
      if slot.depth == 1, writer.frames.count == 2, writer.frames.base[1].kind == .open {
        rootIsEmpty = true
      }
      writer.pop()
    }
  }

  /// Removes the output of a value that threw, including its key, so that a caller that catches the
  /// error can continue.
  @inline(__always)
  func undoing(_ slot: EncoderSlot, _ body: () throws -> Void) throws {
    guard links == nil else {
      let state = links?.mark(slot.serial)
      do {
        try body()
      } catch {
        if let state { links?.rollBack(slot.serial, state) }
        throw error
      }
      return
    }
    guard !needsLinks, activate(slot) else { throw staleError }
    let mark = writer.mark
    do {
      try body()
    } catch {
      if !needsLinks { writer.rollBack(to: mark) }
      throw error
    }
  }
}
