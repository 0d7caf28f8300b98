import SwiftBoardSystem
import SwiftBoardTestSupport
import Synchronization
import Testing

/// A long session keeps the descriptors and the memory that it began with. `SWIFTBOARD_REQUESTS`
/// sets how many requests there are, `SWIFTBOARD_BYTES` how long a body is.
@Suite(
  .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status")),
  .timeLimit(.minutes(20)))
struct EnduranceTests {
  /// What the program takes, as the system sees it.
  private struct Usage {
    var descriptors: Int
    /// In kibibytes.
    var memory: Int
    var peak: Int

    init(of process: Int32) {
      let folder = "/proc/\(process)"
      descriptors =
        (try? FileManager.default.contentsOfDirectory(atPath: folder + "/fd").count) ?? 0
      let status = FileManager.default.contents(atPath: folder + "/status") ?? Data()
      let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
      func number(_ name: String) -> Int {
        let line = lines.first { $0.hasPrefix(name) } ?? ""
        return Int(line.filter(\.isNumber)) ?? 0
      }
      memory = number("VmRSS:")
      peak = number("VmHWM:")
    }
  }

  /// Answers `/measure` after looking at the process that is known by then.
  private final class Observer: Sendable {
    let process = Mutex<Int32>(0)
    let seen = Mutex<[Usage]>([])
    var usages: [Usage] { seen.withLock { $0 } }

    func look() {
      let process = process.withLock { $0 }
      seen.withLock { $0.append(Usage(of: process)) }
    }
  }

  private static func number(_ name: String, _ standard: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? standard
  }

  /// Runs the lines, which ask `ORIGIN/measure` where the program is to be looked at.
  private func run(
    _ program: Program, _ lines: [String]
  ) async throws -> (usages: [Usage], connections: Int) {
    let observer = Observer()
    let server = try TestHTTPServer { request in
      if request.path == "/measure" { observer.look() }
      return request.path.hasPrefix("/faults") ? nil : .response(.init(json: #"{"ok":true}"#))
    }
    let child = try program.start("--home", "h", "-q")
    observer.process.withLock { $0 = child.processID }
    for line in lines { child.writeInput(line.replacing("ORIGIN", with: server.origin) + "\n") }
    child.closeInput()
    let outcome = await child.wait()
    #expect(outcome.status == .exited(0), "\(outcome.errorText)")
    return (observer.usages, server.connectionCount)
  }

  /// What the first requests keep is written later: its files are open once it is asked for.
  private static let openFiles = ["api cache list > /dev/null", "api recent > /dev/null"]

  @Test("many requests take no more than few") func manyRequestsTakeNoMore() async throws {
    let count = Self.number("SWIFTBOARD_REQUESTS", 200)
    let program = try Program()
    let request = "api get ORIGIN/a --cache noCache > /dev/null"
    let (usages, connections) = try await run(
      program,
      // What the first request opens stays open.
      ["api get ORIGIN/measure", "api get ORIGIN/measure"]
        + Array(repeating: request, count: count) + Self.openFiles + ["api get ORIGIN/measure"]
        + Array(repeating: request, count: 3 * count) + ["api get ORIGIN/measure"])
    #expect(connections == 1)
    try #require(usages.count == 4)
    let (few, many) = (usages[2], usages[3])
    #expect(many.descriptors <= few.descriptors)
    // One per cent of what a session of ten thousand has, and what an allocator takes in pages.
    #expect(
      Double(many.memory) <= Double(few.memory) * 1.01 + (count < 10_000 ? 2048 : 0),
      "\(few) \(many)")
  }

  @Test("a long body goes through, both ways, without staying")
  func aLongBodyGoesThrough() async throws {
    let bytes = Self.number("SWIFTBOARD_BYTES", 100_000_000)
    let program = try Program()
    let (usages, _) = try await run(
      program,
      [
        "api get ORIGIN/faults/ranges?bytes=1000 --out small", "api post ORIGIN/sink @small",
        "api get ORIGIN/measure",
      ] + Self.openFiles + [
        "api get ORIGIN/measure",
        "api get ORIGIN/faults/ranges?bytes=\(bytes) --out big", "api post ORIGIN/sink @big",
        "api get ORIGIN/measure",
      ])
    try #require(usages.count == 3)
    let (before, after) = (usages[1], usages[2])
    #expect(after.peak - before.peak < 24_000, "\(before) \(after)")
    #expect(after.descriptors <= before.descriptors)
    var status = stat()
    #expect(stat(program.folder.path("big"), &status) == 0 && status.st_size == bytes)
  }
}
