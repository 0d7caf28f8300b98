import SwiftBoardDependencies
import SwiftBoardServiceTesting
import SwiftBoardTesting
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The rules that an implementation breaks.
func broken(_ checks: [ConformanceCheck]) async throws -> [String] {
  var broken: [String] = []
  for check in checks {
    do { try await check.run() } catch let failure as ConformanceFailure {
      print(failure)
      broken.append(failure.rule)
    }
  }
  return broken
}

func differs<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) -> Bool {
  guard found != expected else { return false }
  print("WRONG \(what): \(found) instead of \(expected)")
  return true
}

// A service of one's own, and the same one with a mistake.
let good = FileConformance { FileConformance.Subject(Boxes(), folder: "boxes") }
let bad = FileConformance { FileConformance.Subject(Boxes(ignoresLimits: true), folder: "boxes") }
let brokenByGood = try await broken(good.checks)
let brokenByBad = try await broken(bad.checks)

// A keychain of one's own, and parts of the persistence.
let drawers = KeychainConformance { setting in
  let folder = try TemporaryFolder()
  let source = try setting.passphrase.map {
    KeychainSecret.passphrase(try GuardedBytes(copying: Array($0.utf8)))
  }
  return KeychainConformance.Subject(
    Drawer(source: source, clock: setting.clock), folder: folder.path, keeping: folder,
    write: { try folder.write($0, to: $1) })
}
let brokenByDrawers = try await broken(drawers.checks)
let notes = PersistenceConformance.preferences { _ in ConformanceSubject(Notes()) }
let brokenByNotes = try await broken(notes)
let shelves = PersistenceConformance.documents { _ in ConformanceSubject(Shelf()) }
let brokenByShelves = try await broken(shelves)
let badShelves = PersistenceConformance.documents { _ in
  ConformanceSubject(Shelf(ignoresPlaces: true))
}
let brokenByBadShelves = try await broken(badShelves)

// Values of a service, decoded, from the cache while they are fresh.
struct Film: Decodable, Sendable, Equatable {
  var id: Int
  var title: String
}

let mock = MockAPIClient()
var dependencies = Dependencies.mock
dependencies.apiClient = mock
mock.answer(
  "GET", "http://films.example/api/films",
  with: .json(#"[{"id":1,"title":"Solaris"}]"#, headers: [HTTPHeader("ETag", "\"1\"")]),
  .status(304), .status(503), .status(200))

let answers = ResponseRepository(dependencies, service: "films", lifetime: .fixed(.seconds(60)))
let films = Repository<[Film]>(answers)
let endpoint = APIEndpoint(url: "http://films.example/api/films")
let first = try await films.value(of: endpoint)
let fresh = try await films.value(of: endpoint)
let confirmed = try await films.value(of: endpoint, policy: .remoteFirst)
let standIn = try await films.value(of: endpoint, policy: .remoteFirst)

// One answer too many was prepared: the mock says where.
let reported = Mutex<[TestFailure]>([])
dependencies.reportMockIssues(to: { failure in reported.withLock { $0.append(failure) } })

let isWrong = [
  differs("rules broken", brokenByGood, []),
  differs("rules broken", brokenByBad, ["more bytes than the limit are refused"]),
  differs("rules broken", brokenByDrawers, []),
  differs("rules broken", brokenByNotes, []),
  differs("rules broken", brokenByShelves, []),
  differs("rules broken", brokenByBadShelves, ["invalid JSON is refused with its place"]),
  differs("films", first.value, [Film(id: 1, title: "Solaris")]),
  differs(
    "verdicts", [first, fresh, confirmed, standIn].map(\.verdict),
    [.miss, .hit, .revalidated, .stale]),
  differs("requests", mock.requests.count, 3),
  differs("reason", standIn.networkError?.kind, .undecodable),
  differs("issues", reported.withLock { $0.map(\.kind) }, [.expectation]),
].contains(true)
if isWrong { exit(1) }
print("all as expected")
