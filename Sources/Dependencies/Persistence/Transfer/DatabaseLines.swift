import SwiftBoardJSON
import SwiftBoardSystem

/// The lines of an export, read in chunks.
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
    var progress = Progress()
    func take(_ line: Data) async throws -> Bool {
      guard let entry = try entry(line, &progress) else { return true }
      return try await body(entry, progress.lines)
    }
    while let piece = try await input.next() {
      try Task.checkCancellation()
      var piece = piece[...]
      while let end = piece.withUnsafeBytes({ position(of: UInt8(ascii: "\n"), in: $0) }) {
        rest.append(piece.prefix(end))
        piece = piece.dropFirst(end + 1)
        let line = rest
        rest = Data()
        guard try await take(line) else { return }
      }
      rest.append(piece)
      guard rest.count <= Self.longestLine else {
        throw malformed(progress.lines + 1, "the line has more than 64 MiB")
      }
    }
    if !rest.isEmpty { guard try await take(rest) else { return } }
    guard progress.lines > 0 else { throw malformed(1, "the file is empty") }
    guard !progress.hasEnd || progress.isEnded else {
      throw malformed(
        progress.lines,
        "the file was cut short: its last line, with the number of entries, is missing")
    }
  }

  /// What has been read.
  private struct Progress {
    var lines = 0
    var entries = 0
    /// Whether the file has a last line. Those of version 1 have none.
    var hasEnd = false
    var isEnded = false
  }

  /// Returns `nil` for the first line, which identifies the file, and for the last one.
  private func entry(_ line: Data, _ progress: inout Progress) throws -> DatabaseEntry? {
    progress.lines += 1
    let number = progress.lines
    let json: JSON
    do throws(JSONError) { json = try JSON(parsing: line, limits: .strict) } catch {
      throw malformed(number, "column \(error.column): \(error.message)")
    }
    if number == 1 {
      guard json["swiftboard"] == "db export" else {
        throw malformed(1, "this is not an export of a database")
      }
      guard let version = json["version"]?.intValue, version > 0 else {
        throw malformed(1, "the version of an export is a whole number from 1")
      }
      guard version <= DatabaseEntry.version else {
        throw malformed(
          1,
          "this export was made by a later version: it has format \(version), and this version "
            + "knows \(DatabaseEntry.version)")
      }
      try refuseOthers(than: ["swiftboard", "version"], in: json, number)
      progress.hasEnd = version > 1
      return nil
    }
    guard !progress.isEnded else { throw malformed(number, "there is more behind the last line") }
    if progress.hasEnd, let end = json["end"] {
      guard end["entries"]?.intValue == progress.entries else {
        let found = end["entries"]?.text ?? "no number"
        throw malformed(
          number,
          "the file has \(progress.entries) \(progress.entries == 1 ? "entry" : "entries"), and its last line says \(found)"
        )
      }
      try refuseOthers(than: ["end"], in: json, number)
      try refuseOthers(than: ["entries"], in: end, number)
      progress.isEnded = true
      return nil
    }
    progress.entries += 1
    try DocumentText.check(
      String(decoding: line, as: UTF8.self), from: "\(path):\(number)", redactor)
    do throws(DatabaseEntryError) { return try DatabaseEntry(json) } catch {
      throw malformed(number, error.reason)
    }
  }

  private func refuseOthers(than known: [String], in value: JSON, _ line: Int) throws {
    do throws(DatabaseEntryError) {
      try DatabaseEntry.refuseOthers(than: known, in: value)
    } catch {
      throw malformed(line, error.reason)
    }
  }

  func malformed(_ line: Int, _ reason: String) -> DatabaseTransferError {
    .malformedLine(path: path, line: line, reason: reason)
  }
}
