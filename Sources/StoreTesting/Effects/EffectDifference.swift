import SwiftBoardStore

/// Returns the difference of two lists of effects as lines: missing effects after `-`, unexpected
/// ones after `+`.
func effectDifference(_ expected: [EffectDescriptor], _ returned: [EffectDescriptor]) -> String {
  let a = expected.flatMap { effectLines($0, indent: "") }
  let b = returned.flatMap { effectLines($0, indent: "") }
  let changes = b.difference(from: a)
  let removed = Set(changes.removals.map(\.offset))
  let inserted = Set(changes.insertions.map(\.offset))
  var lines: [String] = []
  var j = 0
  func addInserted() {
    while j < b.count, inserted.contains(j) {
      lines.append("+ " + b[j])
      j += 1
    }
  }
  for (i, line) in a.enumerated() {
    if removed.contains(i) {
      lines.append("- " + line)
      continue
    }
    addInserted()
    lines.append("  " + line)
    j += 1
  }
  addInserted()
  return lines.joined(separator: "\n")
}

/// Returns an effect as a line, and its members as lines below it.
private func effectLines(_ effect: EffectDescriptor, indent: String) -> [String] {
  var line = indent + effect.kind.rawValue
  if effect.name != effect.kind.rawValue { line += " “\(effect.name)”" }
  line += idText(effect)
  return [line] + effect.parts.flatMap { effectLines($0, indent: indent + "  ") }
}

extension CollectionDifference.Change {
  fileprivate var offset: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
