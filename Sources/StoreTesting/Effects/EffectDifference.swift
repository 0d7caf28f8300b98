import SwiftBoardStore

/// Returns the difference of two lists of effects as lines: missing effects after `-`, unexpected
/// ones after `+`.
func effectDifference(_ expected: [EffectDescriptor], _ returned: [EffectDescriptor]) -> String {
  let a = expected.flatMap { effectLines($0, indent: "") }
  let b = returned.flatMap { effectLines($0, indent: "") }
  var lines = LimitedLines(limit: differenceLimit)
  for pair in ListAlignment.pairs(a, b) {
    switch pair {
    case (_?, let j?): lines.append("  " + b[j])
    case (let i?, nil): lines.append("- " + a[i])
    case (nil, let j?): lines.append("+ " + b[j])
    case (nil, nil): break
    }
  }
  return lines.text
}

/// Returns an effect as a line, and its members as lines below it.
private func effectLines(_ effect: EffectDescriptor, indent: String) -> [String] {
  var line = indent + effect.kind.rawValue
  if effect.name != effect.kind.rawValue { line += " “\(effect.name)”" }
  line += idText(effect)
  return [line] + effect.parts.flatMap { effectLines($0, indent: indent + "  ") }
}
