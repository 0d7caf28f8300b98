import SwiftBoardJSON
import SwiftBoardSystem

/// Writes the records of an archive to a file, as JSON Lines.
package struct LogExport: Sendable {
  private let archive: any LogArchive
  private let files: any FileService

  /// Creates an export from the logger of these dependencies.
  package init(_ dependencies: Dependencies) {
    archive = dependencies.logger.archive
    files = dependencies.files
  }

  /// Writes all records to a new file, each on one line: line separators, control characters and
  /// bidirectional controls are escaped. Removes the file if it cannot be completed.
  ///
  /// - Returns: The last page, with the number of records.
  /// - Throws: `FileError`, `CancellationError`.
  package func write(to path: String) async throws -> LogPageSequence.Element {
    let file = try await files.newFile(path)
    try await file.begin(afterKept: false, tag: nil)
    do {
      var last = LogPageSequence.Element(records: [], count: 0, isLast: true)
      for try await page in archive.pages() {
        last = page
        guard !page.records.isEmpty else { continue }
        try await file.write(Data(page.records.map { $0.json.description + "\n" }.joined().utf8))
      }
      try await file.finish()
      return last
    } catch {
      await file.discard()
      throw error
    }
  }
}

extension LogRecord {
  /// The record as a JSON object with all members.
  package var json: JSON {
    .object([
      .init("time", .string(Timestamp.text(microseconds: Int(time)) ?? Self.epoch)),
      .init("level", .string(level.name)), .init("category", .string(category)),
      .init("message", .string(message)),
      .init("fields", .object(fields.map { .init($0.key, .string($0.value)) })),
    ])
  }

  /// The text of a time outside the calendar's range.
  private static let epoch = "1970-01-01T00:00:00.000000Z"
}

extension Logger {
  /// Removes the records in a store, in memory and in the archive, also those that still wait to be
  /// written. The store comes first: if it cannot be changed, nothing is removed. If a retry would
  /// not change that, as without space for it, the others are removed before its error is thrown.
  ///
  /// - Throws: `FileError`, `PersistenceError`.
  package func removeAll(in store: some LogStore) async throws {
    guard await flush(within: .seconds(30)) else {
      throw FileError(
        .io, path: "",
        message: "records of this program are not in the log after 30 s, so none were removed")
    }
    var lasting: PersistenceError?
    do throws(PersistenceError) { try await store.clearLogRecords() } catch {
      guard [.cannotOpen, .cannotCreate, .readOnly, .full].contains(error.kind) else { throw error }
      lasting = error
    }
    clear()
    try await archive.clear()
    if var lasting {
      lasting.message += "; the records outside it were removed"
      throw lasting
    }
  }
}
