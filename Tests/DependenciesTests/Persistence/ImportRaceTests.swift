import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// Imports beside another process that saves entries of the same names.
@Suite("an import beside another process")
struct ImportRaceTests {
  /// An export that is read in two parts, with a change of the database between them.
  private final class InterruptedFile: FileService {
    let parts: [Data]
    let change: @Sendable () async -> Void
    /// The number of times that the file was opened.
    private let count = Mutex(0)

    init(_ parts: [String], _ change: @escaping @Sendable () async -> Void) {
      self.parts = parts.map { Data($0.utf8) }
      self.change = change
    }

    func read(_ path: String, limit: Int) async throws(FileError) -> Data { Data(parts.joined()) }
    func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {}
    func protect(recording path: String?) {}

    func input(_ path: String) async throws(FileError) -> FileInput {
      let isImport = count.withLock { count in
        count += 1
        return count == 2
      }
      let next = Mutex(0)
      return FileInput(size: nil, isRepeatable: true) { [parts, change] () throws(FileError) in
        let number = next.withLock { next in
          next += 1
          return next - 1
        }
        if number == 1, isImport { await change() }
        return number < parts.count ? parts[number] : nil
      }
    }
  }

  private static func line(_ id: String) -> String {
    #"{"document":{"collection":"c","id":"\#(id)","updated":1,"body":"imported"}}"# + "\n"
  }

  private static let preference = #"{"preference":{"name":"p","value":"imported"}}"# + "\n"
  private static let service = #"{"service":{"name":"s","baseURL":"http://imported"}}"# + "\n"

  /// The result of an import during which another process saves `c/1`, the preference `p` and the
  /// service `s`.
  private struct Run {
    var result: Result<DatabaseImport, any Error>
    var values: [String?]
    var documents: Int
  }

  private func run(_ first: Int, _ existing: ImportDuplicates) async throws -> Run {
    let folder = try DatabaseFolder()
    let own = folder.service()
    try await own.putDocument(Document("z", "1", in: "z"))
    let other = folder.service()
    let head = #"{"swiftboard":"db export","version":1}"# + "\n"
    let parts = [
      head + (1...first).map { Self.line(String($0)) }.joined() + Self.preference + Self.service,
      Self.line("last"),
    ]
    var dependencies = Dependencies.mock
    dependencies.persistence = own
    dependencies.files = InterruptedFile(parts) {
      _ = try? await other.putDocument(Document("\(first)", #""mine""#))
      try? await other.setPreference("p", to: #""mine""#)
      try? await other.saveService(APIService(name: "s", baseURL: "http://mine"), replacing: true)
    }
    let transfer = DatabaseTransfer(dependencies)
    let conflict = try await transfer.check("f", findsTaken: existing == .refuse)
    #expect(conflict == nil)
    let result: Result<DatabaseImport, any Error>
    do {
      result = .success(try await transfer.importEntries(of: "f", onExisting: existing))
    } catch {
      result = .failure(error)
    }
    let values = [
      try await own.document(collection: "c", id: "\(first)")?.body,
      try await own.preference("p"), try await own.service("s")?.baseURL,
    ]
    let documents = try await own.documents(DocumentQuery(collection: "c")).count
    try await own.close()
    try await other.close()
    return Run(result: result, values: values, documents: documents)
  }

  private let mine = [#""mine""#, #""mine""#, "http://mine"]

  @Test("keep leaves what another process saved after the file was checked, and counts it as kept")
  func keep() async throws {
    let run = try await run(1, .keep)
    let counts = try run.result.get()
    #expect([counts.added, counts.replaced, counts.kept] == [1, 0, 3])
    #expect(run.values == mine)
  }

  @Test("replace counts what another process saved as replaced")
  func replace() async throws {
    let run = try await run(1, .replace)
    let counts = try run.result.get()
    #expect([counts.added, counts.replaced, counts.kept] == [1, 3, 0])
    #expect(run.values == [#""imported""#, #""imported""#, "http://imported"])
  }

  @Test("refuse stops at what another process saved, with nothing written")
  func refuse() async throws {
    let run = try await run(1, .refuse)
    let error = #expect(throws: DatabaseTransferError.self) { try run.result.get() }
    #expect(error == .taken("f", reason: "the document c/1 is here already"))
    #expect(run.values == mine)
    #expect(run.documents == 1)
  }

  @Test("refuse stops at what another process saved, and says what was written before")
  func refuseLate() async throws {
    let run = try await run(501, .refuse)
    let error = #expect(throws: IncompleteImport.self) { try run.result.get() }
    #expect(error?.counts.added == 500)
    #expect(
      error?.cause as? DatabaseTransferError
        == .taken("f", reason: "the document c/501 is here already"))
    #expect(run.values == mine)
    #expect(run.documents == 501)
  }
}
