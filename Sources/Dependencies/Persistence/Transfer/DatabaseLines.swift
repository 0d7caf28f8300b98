import SwiftBoardJSON
import SwiftBoardSystem

/// The lines of an export, read in pieces.
struct DatabaseLines: Sendable {
  private static let longestLine = 64 << 20

  private let path: String
  private let redactor: Redactor

  init(_ path: String, _ redactor: Redactor) {
    self.path = path
    self.redactor = redactor
  }

  /// Calls `body` with each entry and the number of its line, until it returns false.
  func forEachEntry(
    of input: FileInput, _ body: (DatabaseEntry, _ line: Int) async throws -> Bool
  ) async throws {
    var rest = Data()
    var number = 0
    func take(_ line: Data) async throws -> Bool {
      number += 1
      guard let entry = try entry(line, number) else { return true }
      return try await body(entry, number)
    }
    while let piece = try await input.next() {
      try Task.checkCancellation()
      rest.append(piece)
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        guard try await take(rest[rest.startIndex..<end]) else { return }
        rest = rest[(end + 1)...]
      }
      rest = Data(rest)
      guard rest.count <= Self.longestLine else {
        throw malformed(number + 1, "the line has more than 64 MiB")
      }
    }
    if !rest.isEmpty { guard try await take(rest) else { return } }
    guard number > 0 else { throw malformed(1, "the file is empty") }
  }

  /// Returns `nil` for the first line, which says what the file is.
  private func entry(_ line: Data, _ number: Int) throws -> DatabaseEntry? {
    let json: JSON
    do throws(JSONError) { json = try JSON(parsing: line, limits: .strict) } catch {
      throw malformed(number, "column \(error.column): \(error.message)")
    }
    if number == 1 {
      guard json["swiftboard"] == "db export" else {
        throw malformed(1, "this is not an export of a database")
      }
      guard json["version"] == 1 else {
        throw malformed(1, "this export was made by a later version")
      }
      return nil
    }
    try DocumentText.check(
      String(decoding: line, as: UTF8.self), from: "\(path):\(number)", redactor)
    do throws(DatabaseEntryError) { return try DatabaseEntry(json) } catch {
      throw malformed(number, error.reason)
    }
  }

  func malformed(_ line: Int, _ reason: String) -> DatabaseTransferError {
    .malformedLine(path: path, line: line, reason: reason)
  }
}
