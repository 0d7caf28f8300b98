import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Synchronization
import Testing

@testable import SwiftBoardDependencies

/// Parsers of data from servers and files have an answer to any input, and accept what is in range.
@Suite("service parsers take any input")
struct ServiceParserFuzzTests {
  @Test("a date of HTTP is read to the second, and a damaged one is none or another date")
  func dates() {
    var random = SeededRandom(seed: 1)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    for _ in 0..<2000 {
      let (hour, minute, second) = (
        Int.random(in: 0...23, using: &random), Int.random(in: 0...59, using: &random),
        Int.random(in: 0...59, using: &random)
      )
      let time = "\(two(hour)):\(two(minute)):\(two(second))"
      let day = "1\(Int.random(in: 0...9, using: &random))"
      let month = months.randomElement(using: &random) ?? ""
      let year = Int.random(in: 1000...9999, using: &random)
      let text = "\(days[0]), \(day) \(month) \(year) \(time) GMT"
      let found = HTTPDate.seconds(text)
      let clock = Int64(hour * 3600 + minute * 60 + second)
      #expect(found.map { ($0 % 86_400 + 86_400) % 86_400 } == clock, "\(text)")
      #expect(
        HTTPDate.seconds("\(days[0]), \(day) \(month) \(year) 00:00:00 GMT")
          == found.map { $0 - clock })
      let damaged = String(decoding: mutated(Array(text.utf8), using: &random), as: UTF8.self)
      if let other = HTTPDate.seconds(damaged) {
        #expect((-62_200_000_000...253_402_300_860).contains(other), "\(damaged)")
      }
    }
  }

  @Test("an answer's lifetime ends between now and 68 years from now, whatever its headers say")
  func lifetimes() {
    var random = SeededRandom(seed: 2)
    let now: Int64 = 1_800_000_000_000_000
    let values = [
      "max-age=60, no-transform", "no-cache", "max-age=\"5\"", "max-age=99999999999999999999",
      "public,max-age = 7", "no-store,,=,max-age=-1", "s-maxage=1",
    ]
    let dates = ["Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "0"]
    for _ in 0..<2000 {
      func damaged(_ texts: [String]) -> String {
        let text = texts.randomElement(using: &random) ?? ""
        return String(decoding: mutated(Array(text.utf8), using: &random), as: UTF8.self)
      }
      var headers: [HTTPHeader] = []
      if Bool.random(using: &random) {
        headers.append(HTTPHeader("Cache-Control", damaged(values)))
      }
      if Bool.random(using: &random) { headers.append(HTTPHeader("Expires", damaged(dates))) }
      if Bool.random(using: &random) { headers.append(HTTPHeader("Date", damaged(dates))) }
      if Bool.random(using: &random) { headers.append(HTTPHeader("Age", damaged(["7", "-3"]))) }
      if let expiry = CacheRules.expiry(of: headers, now: now) {
        #expect((now...now + (1 << 31) * 1_000_000).contains(expiry), "\(headers)")
      }
    }
  }

  @Test("a head of an answer is one of a status from 100 to 999 and fields on one line, or none")
  func heads() {
    var random = SeededRandom(seed: 3)
    let seed = Array(
      "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nETag: \"a\"\r\nX: a\r\n\tb\r\n: none\r\n\r\n".utf8
    )
    #expect(ResponseHead(seed)?.headers.count == 3)
    for _ in 0..<3000 {
      guard let head = ResponseHead(mutated(seed, using: &random)) else { continue }
      #expect((100...999).contains(head.status))
      for header in head.headers {
        #expect(!header.name.isEmpty)
        #expect(!(header.name + header.value).utf8.contains(UInt8(ascii: "\n")))
      }
      _ = head.lengthProblem
    }
  }

  @Test("a record of the log reads back as it was, and a damaged line is none or another record")
  func records() {
    var random = SeededRandom(seed: 4)
    for _ in 0..<1500 {
      let noise = mutated(Array("a \u{1b}[0m\"é漢\\".utf8), using: &random)
      let text = String(decoding: noise, as: UTF8.self)
      let record = LogRecord(
        time: Int64.random(in: 0..<4_000_000_000_000_000, using: &random), level: .warning,
        category: text, message: text + "x", fields: [LogField("job", text)])
      var line: [UInt8] = []
      LogRecordLine.append(record, to: &line)
      if line.last == UInt8(ascii: "\n") { line.removeLast() }
      #expect(LogRecordLine.record(line[...]) == record, "\(text.debugDescription)")
      guard let other = LogRecordLine.record(mutated(line, using: &random)[...]) else { continue }
      var again: [UInt8] = []
      LogRecordLine.append(other, to: &again)
      if again.last == UInt8(ascii: "\n") { again.removeLast() }
      #expect(LogRecordLine.record(again[...]) == other)
    }
  }

  @Test("names and values that the database keeps come back, and damaged ones are none or others")
  func pairs() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<1500 {
      let text = String(
        decoding: mutated(Array("a\"\\\u{0}é".utf8), using: &random), as: UTF8.self)
      let stored = StoredJSON.text(ofPairs: [(text, "1"), ("b", text)])
      let read = StoredJSON.pairs(of: stored)
      #expect(read?.map(\.0) == [text, "b"] && read?.map(\.1) == ["1", text])
      let damaged = String(decoding: mutated(Array(stored.utf8), using: &random), as: UTF8.self)
      if let others = StoredJSON.pairs(of: damaged) {
        let again = StoredJSON.pairs(of: StoredJSON.text(ofPairs: others))
        #expect(again?.map(\.0) == others.map(\.0) && again?.map(\.1) == others.map(\.1))
      }
    }
  }

  @Test("a range of a body is within its whole, or none")
  func ranges() {
    var random = SeededRandom(seed: 6)
    let seeds = ["bytes 5-9/10", "bytes 0-0/*", "bytes */10", "bytes 9223372036854775807-5/6"]
    for _ in 0..<3000 {
      let seed = seeds.randomElement(using: &random) ?? ""
      let text = String(decoding: mutated(Array(seed.utf8), using: &random), as: UTF8.self)
      let response = APIResponse(
        status: 206, headers: [HTTPHeader("Content-Range", text)], body: Data(), url: "")
      guard let range = ContentRange(response) else { continue }
      #expect(range.first != nil || range.total != nil, "\(text)")
      #expect((range.first ?? 0) >= 0 && (range.total ?? 0) >= 0, "\(text)")
      if let first = range.first, let total = range.total { #expect(first < total, "\(text)") }
    }
  }

  @Test("an address is none, or is read the same again, and holds nothing that ends a line")
  func addresses() {
    var random = SeededRandom(seed: 7)
    let seeds = [
      "http://Host.example:80/a/../b%2f?c=%zz&d#e", "https://[::1]:8443/?q", "http://h/é 漢?x=\"y\"",
    ]
    for _ in 0..<3000 {
      let seed = seeds.randomElement(using: &random) ?? ""
      let text = String(decoding: mutated(Array(seed.utf8), using: &random), as: UTF8.self)
      guard let address = try? URLBuilder(text) else { continue }
      let rest = address.path + (address.query ?? "")
      #expect(rest.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(text)")
      #expect(!address.host.contains { $0.isWhitespace || "/?#@".contains($0) }, "\(text)")
      #expect((try? URLBuilder(address.url)) == address, "\(text)")
      #expect((try? URLBuilder(address.cacheKey))?.cacheKey == address.cacheKey, "\(text)")
    }
  }

  @Test("a damaged export is refused, or all of its entries are read")
  func exports() async throws {
    var random = SeededRandom(seed: 8)
    let lines = [
      DatabaseEntry.header,
      #"{"document":{"collection":"c","id":"1","updated":1,"body":{"a":[1,"é"]}}}"#,
      #"{"preference":{"name":"p","text":"[1, 1]"}}"#,
      #"{"service":{"baseURL":"http://h","name":"s"}}"#, DatabaseEntry.end(entries: 3),
    ]
    let text = Array((lines.joined(separator: "\n") + "\n").utf8)
    var whole = 0
    for round in 0..<1500 {
      let damaged = round == 0 ? text : mutated(text, using: &random)
      let pieces = Mutex<[Data]>([Data(damaged)])
      let input = FileInput(size: nil, isRepeatable: true) { () throws(FileError) in
        pieces.withLock { $0.popLast() }
      }
      var entries = 0
      do {
        try await DatabaseLines("f", Redactor()).forEachEntry(of: input) { _, _ in
          entries += 1
          return true
        }
      } catch {
        continue
      }
      #expect(entries == 3, "\(String(decoding: damaged, as: UTF8.self))")
      whole += 1
    }
    #expect(whole > 0)
  }
}
