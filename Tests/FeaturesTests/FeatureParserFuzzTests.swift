import SwiftBoardJSON
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

@testable import SwiftBoardDependencies
@testable import SwiftBoardFeatures

/// Parsers of answers and of files that features read.
@Suite("feature parsers take any input")
struct FeatureParserFuzzTests {
  private func range(_ value: String) -> ContentRange? {
    ContentRange(
      APIResponse(
        status: 206, headers: [HTTPHeader("Content-Range", value)], body: .init(), url: ""))
  }

  @Test("a range has a first byte within the whole, or none where it was refused")
  func ranges() {
    #expect(range("bytes 5-9/10")?.first == 5 && range("bytes 5-9/10")?.total == 10)
    #expect(range("bytes */10")?.first == nil && range("bytes */10")?.total == 10)
    #expect(range("BYTES 0-0/*")?.first == 0 && range("BYTES 0-0/*")?.total == nil)
    for text in [
      "bytes -5/10", "bytes 9-5/10", "bytes 5-10/10", "bytes 5-9/-10", "bytes 5-9", "bytes */*",
      "items 0-1/2", "bytes +1-2/3", "bytes 1-2/3/4", "bytes 99999999999999999999-2/3",
    ] {
      #expect(range(text) == nil, "\(text)")
    }
    var random = SeededRandom(seed: 6)
    for _ in 0..<3000 {
      let damaged = mutated(Array("bytes 1234-5678/9012".utf8), using: &random)
      guard let found = range(String(decoding: damaged, as: UTF8.self)) else { continue }
      #expect(found.first ?? 0 >= 0)
      if let first = found.first, let total = found.total { #expect(first < total) }
    }
  }

  @Test("a line of an export reads back as it was, and a damaged one is refused or another entry")
  func exports() throws {
    var random = SeededRandom(seed: 7)
    let bodies = [#"{"a":[1,2.50,"é"]}"#, #"{"a": 1}"#, #""\u00e9""#, "1E400", "[]", "null"]
    for _ in 0..<1500 {
      let name = String(decoding: mutated(Array("c/é\"".utf8), using: &random), as: UTF8.self)
      // An import refuses what no command can name.
      guard !name.isEmpty, !name.utf8.contains(0) else { continue }
      let body = bodies.randomElement(using: &random) ?? ""
      let entry =
        Bool.random(using: &random)
        ? DatabaseEntry.document(Document(collection: name, id: "i", body: body, updated: 7))
        : .preference(Preference(name: name, json: body))
      let line = try entry.line()
      let read = try DatabaseEntry(JSON(parsing: line))
      #expect(read.key == entry.key)
      #expect(try read.line() == line)
      let damaged = mutated(Array(line.utf8), using: &random)
      guard let json = try? JSON(parsing: damaged) else { continue }
      do throws(DatabaseEntryError) {
        let other = try DatabaseEntry(json)
        let again = try? other.line()
        #expect(again.flatMap { try? JSON(parsing: $0) } != nil, "\(json.text)")
      } catch {
        #expect(!error.reason.isEmpty)
      }
    }
  }
}
