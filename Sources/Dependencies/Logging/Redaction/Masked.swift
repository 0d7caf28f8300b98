/// A value in which marks replace known secrets.
package struct Masked<Value: Sendable>: Sendable {
  /// The value, with marks.
  package var value: Value
  /// The secret of each mark that was put in, in the order of the text: as many as there were
  /// values.
  package var names: [String]

  /// A value with the names of the secrets that were in it.
  package init(_ value: Value, names: [String] = []) {
    self.value = value
    self.names = names
  }
}

extension Masked: Equatable where Value: Equatable {}
