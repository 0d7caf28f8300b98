/// References to secrets in lines: `{{secret:NAME}}`.
package enum SecretReference {
  /// Returns the reference to a secret, or `nil` if no line can contain one: a reference ends at
  /// the first `}}` and with its line, and blanks before its end are not part of the name.
  package static func text(for name: String) -> String? {
    let blanks: [Unicode.Scalar] = [" ", "\t", "\r", "\u{B}", "\u{C}"]
    let scalars = Array(name.unicodeScalars)
    guard let last = scalars.last, last != "}", !blanks.contains(last), !scalars.contains("\n"),
      !zip(scalars, scalars.dropFirst()).contains(where: { $0 == "}" && $1 == "}" })
    else { return nil }
    return "{{secret:\(name)}}"
  }
}
