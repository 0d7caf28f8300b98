import BenchmarkProcesses

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A long session over all features, in memory and with sample data: what its state takes.
extension BoardBenchmarks {
  /// The line of a number. All features take turns, with lists of several pages and values that
  /// replace each other, so that the services themselves stay as large as they are.
  private static func line(_ number: Int) -> String {
    let round = number / lines.count
    return lines[number % lines.count](round)
  }

  private static let lines: [@Sendable (Int) -> String] = [
    { "api get sample/character/\($0 % 20 + 1)" },
    { "api get sample/character page==\($0 % 2 + 1) --cache noCache" },
    { "api recent sample/character/\($0 % 20 + 1)" },
    { _ in "api stats" },
    { "characters list --page \($0 % 2 + 1)" },
    { "characters show \($0 % 20 + 1)" },
    { "-characters search name==\(["rick", "morty", "beth"][$0 % 3]) --page \($0 % 2 + 1)" },
    { #"db put day\#($0 % 3) d\#($0 % 900) '{"n":\#($0),"text":"\#(filling)"}'"# },
    { "db list day\($0 % 3) --limit 20" },
    { _ in "db list day0 > /dev/null" },
    { "db preference set p\($0 % 150) \($0)" },
    { "-db get day0 d\($0 % 900)" },
    { _ in "db stats" },
    { _ in "media list films" },
    { "-media search films tmdb:\($0 % 300)" },
    { _ in "media queue films" },
    { "media calendar films --days \($0 % 30 + 1)" },
    { _ in "downloads list sab" },
    { "downloads history sab --limit \($0 % 50 + 1)" },
    { "keychain set s\($0 % 120) --generate 24" },
    { _ in "keychain list" },
    { "log note 'round \($0)'" },
    { _ in "log tail -n 600 > /dev/null" },
    { _ in "log stats" },
    { "set v\($0 % 40) \(filling)\($0)" },
    { _ in "echo {{last}} > /dev/null" },
    { _ in "watch 1ms --count 2 analytics status" },
  ]

  private static let filling = String(repeating: "x", count: 200)

  /// The memory and the size of the state after 10 000 lines.
  func day() throws -> [Row] {
    let state = "\(folder)/state.json"
    let count = 10_000
    let script = try write("day.sb", lines: count + 1) {
      $0 < count ? Self.line($0) : "state > \(state)"
    }
    let words = [program, "--environment", "preview", "--no-input", "-q", "-f", script]
    guard let cost = ChildProcess.run(words), cost.status == 0 else {
      print("not measured: the session over all features failed")
      return []
    }
    let size = try Data(contentsOf: URL(filePath: state)).count
    return [
      // The services in memory note each call.
      Row(
        id: "R5", name: "memory after 10 000 lines, all features", ours: cost.memory, peer: 40,
        peerName: "40 MB", goal: 1, unit: "MB", memory: cost.memory),
      Row(
        id: "R6", name: "their state as JSON", ours: Double(size) / 1e6, peer: 4, peerName: "4 MB",
        goal: 1, unit: "MB"),
    ]
  }
}
