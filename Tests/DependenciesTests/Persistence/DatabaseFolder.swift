import SwiftBoardSystem
import SwiftBoardTestSupport

@testable import SwiftBoardDependencies

/// A folder of one test, gone with the last reference.
final class DatabaseFolder: Sendable {
  private let folder: TemporaryFolder

  var path: String { folder.path }
  var main: String { path + "/main.sqlite" }
  var cache: String { path + "/cache.sqlite" }

  init() throws { folder = try TemporaryFolder() }

  /// The service with its usual files here.
  func service(
    limits: PersistenceLimits = PersistenceLimits(),
    mainSchema: DatabaseSchema = .main, options: DatabaseFile.Options = .init(),
    writesTogether: Bool = false
  ) -> LivePersistenceService {
    LivePersistenceService(
      main: DatabaseFile(path: main, schema: mainSchema, options: options),
      cache: DatabaseFile(path: cache, schema: .cache, options: options), limits: limits,
      writesTogether: writesTogether)
  }

  /// Another program that has the main file open.
  func stranger(_ path: String? = nil) throws -> SQLiteConnection {
    try SQLiteConnection(
      FileSystem().resolved(path ?? main), busyWait: BusyWait(milliseconds: 0),
      operation: "stranger")
  }

  /// Changes a service so that it no longer matches its checksum.
  func damageService(_ name: String) throws {
    let connection = try stranger()
    try connection.execute("UPDATE api_services SET base_url = 'http://x' WHERE name = '\(name)'")
    try connection.close()
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path)))
  }

  static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
  }

  /// Flips a bit in the first place where `text` stands in the file, or in every one.
  static func flip(_ text: String, in path: String) throws {
    var bytes = try Self.bytes(path)
    let needle = [UInt8](text.utf8)
    let found = bytes.positions(of: needle)
    guard !found.isEmpty else { throw NotFound(text: text) }
    for start in found { bytes[start + needle.count / 2] ^= 1 }
    try write(bytes, to: path)
  }

  static func mode(_ path: String) -> UInt32 {
    var information = stat()
    return stat(path, &information) == 0 ? UInt32(information.st_mode) & 0o777 : 0
  }

  struct NotFound: Error { var text: String }
}

/// The kind of the error that `body` throws; `nil` where it throws none.
func failure<Value>(_ body: () async throws(PersistenceError) -> Value) async -> PersistenceError? {
  do throws(PersistenceError) {
    _ = try await body()
    return nil
  } catch {
    return error
  }
}

extension Document {
  init(_ id: String, _ body: String, in collection: String = "c") {
    self.init(collection: collection, id: id, body: body, updated: 1)
  }
}
