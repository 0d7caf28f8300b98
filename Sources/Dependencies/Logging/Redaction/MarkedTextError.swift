/// Text was refused because a mark in it replaces a secret: stored or sent, it would differ from
/// the original.
package struct MarkedTextError: Error, Sendable, Equatable {
  /// The first mark.
  package var mark: RedactionMark.Kind
  /// Where the text comes from.
  package var place: String

  package init(mark: RedactionMark.Kind, place: String) {
    self.mark = mark
    self.place = place
  }
}
