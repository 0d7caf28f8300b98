/// An error for text that contains a mark. Storing or sending it would lose the secret that the
/// mark replaces.
package struct MarkedTextError: Error, Sendable, Equatable {
  /// The first mark.
  package var mark: RedactionMark.Kind
  /// The origin of the text.
  package var place: String

  package init(mark: RedactionMark.Kind, place: String) {
    self.mark = mark
    self.place = place
  }
}
