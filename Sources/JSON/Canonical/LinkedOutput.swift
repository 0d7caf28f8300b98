/// Where the encoder keeps its containers when a value writes to several of them in turns: all stay
/// open to the end, the scalars' bytes are in the order they came, and only then all is put
/// together.
///
/// Rare, so it is built for being right, not for speed.
final class LinkedOutput {
  private struct Node {
    var key: String?
    /// The scalar's bytes in the writer.
    var start: Int
    var end: Int?
    var child: Int?
  }

  private struct Frame {
    var kind = CanonicalWriter.Kind.open
    var parent: Int?
    var type: (any Any.Type)?
    var nodes: [Node] = []
  }

  private var frames: [Frame] = []
  /// The frame whose last node is being written.
  private var current = 0

  func makeRoot() -> EncoderSlot {
    frames.append(Frame())
    return EncoderSlot(depth: 0, serial: 0)
  }

  func begin(_ frame: Int, key: String?, at position: Int) {
    closeScalar(at: position)
    guard frames.indices.contains(frame) else { return }
    if frames[frame].kind == .open { frames[frame].kind = .scalar }
    frames[frame].nodes.append(Node(key: key, start: position))
    current = frame
  }

  private func closeScalar(at position: Int) {
    guard let last = frames[current].nodes.indices.last,
      frames[current].nodes[last].end == nil
    else { return }
    frames[current].nodes[last].end = position
  }

  func push() -> EncoderSlot {
    let child = frames.count
    frames.append(Frame(parent: current))
    if let last = frames[current].nodes.indices.last {
      frames[current].nodes[last].child = child
    }
    return EncoderSlot(depth: 0, serial: child)
  }

  /// False when it is something else already.
  func become(_ frame: Int, _ kind: CanonicalWriter.Kind) -> Bool {
    guard frames.indices.contains(frame) else { return false }
    if frames[frame].kind == .open { frames[frame].kind = kind }
    return frames[frame].kind == kind
  }

  func setType(_ type: any Any.Type, of frame: Int) { frames[frame].type = type }
  func type(of frame: Int) -> (any Any.Type)? { frames[frame].type }
  func count(of frame: Int) -> Int { frames[frame].nodes.count }

  func child(of frame: Int, key: String, _ kind: CanonicalWriter.Kind) -> EncoderSlot? {
    let node = frames[frame].nodes.last { $0.key.map { $0.utf8.elementsEqual(key.utf8) } ?? false }
    guard let child = node?.child, frames[child].kind == kind else { return nil }
    return EncoderSlot(depth: 0, serial: child)
  }

  func path(of frame: Int) -> [any CodingKey] {
    guard frames.indices.contains(frame), let parent = frames[frame].parent else { return [] }
    var path = self.path(of: parent)
    if let index = frames[parent].nodes.firstIndex(where: { $0.child == frame }) {
      if let key = frames[parent].nodes[index].key {
        path.append(PathKey(stringValue: key))
      } else if frames[parent].kind != .scalar {
        path.append(PathKey(intValue: index))
      }
    }
    return path
  }

  /// The way to what is being written.
  var pathOfCurrent: [any CodingKey] {
    guard let last = frames[current].nodes.last else { return path(of: current) }
    if let key = last.key { return path(of: current) + [PathKey(stringValue: key)] }
    guard frames[current].kind != .scalar else { return path(of: current) }
    return path(of: current) + [PathKey(intValue: frames[current].nodes.count - 1)]
  }

  func mark(_ frame: Int) -> Int { frames[frame].nodes.count }

  func rollBack(_ frame: Int, _ mark: Int) {
    frames[frame].nodes.removeSubrange(mark...)
    if frames[frame].nodes.isEmpty, frames[frame].kind == .scalar { frames[frame].kind = .open }
    current = frame
  }

  func emit(_ frame: Int, from source: borrowing CanonicalWriter, to target: inout CanonicalWriter)
  {
    closeScalar(at: source.bytes.count)
    let kind = frames[frame].kind
    switch kind {
    case .open:
      target.beginObject()
      target.endObject()
    case .scalar:
      if let node = frames[frame].nodes.last { emit(node, from: source, to: &target) }
    case .object:
      target.beginObject()
      for node in frames[frame].nodes {
        target.key(node.key ?? "")
        emit(node, from: source, to: &target)
      }
      target.endObject()
    case .array, .set, .pairs:
      target.begin(kind)
      for node in frames[frame].nodes { emit(node, from: source, to: &target) }
      target.endArray()
    }
  }

  private func emit(
    _ node: Node, from source: borrowing CanonicalWriter, to target: inout CanonicalWriter
  ) {
    if let child = node.child {
      emit(child, from: source, to: &target)
    } else {
      target.canonical(source.slice(node.start, node.end ?? source.bytes.count))
    }
  }
}
