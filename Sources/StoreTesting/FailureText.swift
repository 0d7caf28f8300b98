import SwiftBoardStore

// Texts that several failures share.

/// The maximum number of lines of a difference in a failure; see `TestFailure.message`.
let differenceLimit = 100

/// Returns a value for a message, shortened if it is long.
func short(_ value: Any) -> String {
  let text = ValueTree(value).oneLine
  return text.count <= 200 ? text : text.prefix(200) + "…"
}

/// Returns values for a message, one per line, at most 20.
func list(_ values: [some Any]) -> String {
  let lines = values.prefix(20).map { "  \(short($0))" }
  let rest = values.count > 20 ? ["  … and \(values.count - 20) more"] : []
  return (lines + rest).joined(separator: "\n")
}

func count(_ number: Int, _ noun: String) -> String {
  "\(number) \(noun)\(number == 1 ? "" : "s")"
}

func difference<Value>(_ first: Value, _ second: Value) -> String {
  if let text = differenceText(of: first, and: second, limit: differenceLimit) { return text }
  if let text = completeDifferenceText(of: first, and: second, limit: differenceLimit) {
    return text + "\n\n"
      + "The stacks have the same elements, but will give different ids to those that are pushed next (nextID). "
      + "Likely causes: one of them was made anew, by StackState(), in the test or in a reducer without forEach, "
      + "and begins at #0 again; or an element was pushed and popped on one side only. To empty a stack write "
      + "removeAll(), which keeps nextID; under forEach a reducer may write StackState(), which goes on with "
      + "the ids of the stack that it replaces."
  }
  return "  (they are not equal, but differ in nothing that a mirror shows)"
}

/// Returns an effect for a sentence: its name, and its ids if it has any.
func title(_ effect: EffectDescriptor) -> String {
  "“\(effect.name)”" + idText(effect)
}

/// Returns the ids of an effect, to append to its name.
func idText(_ effect: EffectDescriptor) -> String {
  guard let id = effect.id else { return "" }
  return effect.ids.count == 1 ? " (id \(id))" : " (ids \(effect.ids.joined(separator: ", ")))"
}
