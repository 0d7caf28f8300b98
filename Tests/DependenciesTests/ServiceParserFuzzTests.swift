import SwiftBoardTestSupport
import SwiftBoardTesting
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
}
