import SwiftBoardJSON
import SwiftBoardSystem

/// Checks of text that is about to be stored.
enum DocumentText {
  /// Refuses text with a known secret, or with a mark that replaces one.
  ///
  /// - Parameter place: Where the text comes from, for the error.
  /// - Throws: `MarkedTextError`, `DatabaseTransferError.holdsSecret`.
  static func check(_ text: String, from place: String, _ redactor: Redactor) throws {
    if let mark = RedactionMark.first(inAnyFormIn: text) {
      throw MarkedTextError(mark: mark.quotable(by: redactor), place: place)
    }
    if let name = redactor.mask(text).names.first {
      throw DatabaseTransferError.holdsSecret(place: place, name: name)
    }
  }

  /// Returns the bytes as the body of a document.
  static func body(_ data: Data, from path: String, _ redactor: Redactor) throws -> String {
    do throws(JSONError) {
      _ = try JSON(parsing: data, limits: .strict)
    } catch {
      throw DatabaseTransferError.malformedDocument(
        path: path, line: error.line, column: error.column, reason: error.message)
    }
    let text = String(decoding: data, as: UTF8.self)
    try check(text, from: path, redactor)
    return text
  }
}
