/// Returns the case of a value, with the cases inside it but without other values:
/// `rows(.element(id:, action: .renamed(_:)))`.
///
/// Suitable for logs that must not contain user input.
///
/// - Complexity: O(depth of the cases), with reflection.
public func actionLabel(_ value: Any) -> String {
  let mirror = Mirror(reflecting: value)
  guard mirror.displayStyle == .enum else { return String(describing: mirror.subjectType) }
  guard let payload = mirror.children.first else { return String(describing: value) }
  return (payload.label ?? "") + "(" + labels(of: payload.value) + ")"
}

private func labels(of payload: Any) -> String {
  let mirror = Mirror(reflecting: payload)
  guard mirror.displayStyle == .tuple else { return part(payload, label: nil) }
  return mirror.children.map { part($0.value, label: $0.label) }.joined(separator: ", ")
}

private func part(_ value: Any, label: String?) -> String {
  // Tuple elements without a name are called .0, .1 and so on.
  let name = label.flatMap { $0.hasPrefix(".") ? nil : $0 }
  guard Mirror(reflecting: value).displayStyle == .enum else { return (name ?? "_") + ":" }
  return (name.map { $0 + ": " } ?? "") + "." + actionLabel(value)
}
