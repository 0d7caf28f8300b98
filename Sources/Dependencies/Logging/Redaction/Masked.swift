/// A value in which marks replace known secrets.
package struct Masked<Value: Sendable>: Sendable {
  /// The value, with marks.
  package var value: Value
  /// The name of the secret for each inserted mark, in the order of the text. Its count is the
  /// number of replaced values.
  package var names: [String]

  /// Creates a value with the names of the replaced secrets.
  package init(_ value: Value, names: [String] = []) {
    self.value = value
    self.names = names
  }
}

extension Masked: Equatable where Value: Equatable {}
