import BenchmarkProcesses

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An error of the C library.
private struct Errno: Error, CustomStringConvertible {
  let description: String

  static var current: Errno { Errno(description: String(cString: strerror(errno))) }
}

/// The built program against the tools that a person would take, in turn in one run.
struct BoardBenchmarks {
  /// The program.
  let program: String
  let server: LoopbackServer
  let folder: String
  let rounds: Int

  private func path(_ name: String) -> String { "\(folder)/\(name)" }

  /// Writes a file of as many lines, one by one. Linux counts the memory of the process that starts
  /// a program as the program's own until it is loaded, so this process must stay small.
  ///
  /// - Throws: The error of the file.
  func write(
    _ name: String, first: String = "", lines count: Int, _ line: (Int) -> String
  ) throws -> String {
    guard let file = fopen(path(name), "w") else { throw Errno.current }
    var isWritten = fputs(first, file) >= 0
    for number in 0..<count where isWritten { isWritten = fputs(line(number) + "\n", file) >= 0 }
    guard fclose(file) == 0, isWritten else { throw Errno.current }
    return path(name)
  }

  private func board(_ words: String...) -> [String] {
    [program, "--home", path("home"), "-q"] + words
  }

  /// The least time of each of two commands, run in turn.
  private func pair(
    rounds: Int? = nil, _ ours: [String], _ peer: [String], input: String = "/dev/null",
    before: () -> Void = {}
  ) -> (ours: Cost, peer: Cost)? {
    var best = (ours: Cost(), peer: Cost())
    func add(_ cost: Cost, to least: inout Cost) {
      least.seconds = min(least.seconds, cost.seconds)
      least.processor = min(least.processor, cost.processor)
      least.memory = max(least.memory, cost.memory)
    }
    // The first round fills the caches of both.
    for round in 0...(rounds ?? self.rounds) {
      before()
      guard let own = ChildProcess.run(ours),
        let other = ChildProcess.run(peer, input: input)
      else {
        print("not measured, since it cannot be started: \(peer[0])")
        return nil
      }
      guard own.status == 0, other.status == 0 else {
        print(
          "not measured: \(ours.joined(separator: " ")) gave \(own.status), \(peer[0]) \(other.status)"
        )
        return nil
      }
      guard round > 0 else { continue }
      add(own, to: &best.ours)
      add(other, to: &best.peer)
    }
    return best
  }

  private func row(
    _ id: String, _ name: String, _ costs: (ours: Cost, peer: Cost)?, _ peerName: String,
    goal: Double, margin: Double = 0, memoryGoal: Double? = nil
  ) -> [Row] {
    guard let costs else { return [] }
    return [
      Row(
        id: id, name: name, ours: costs.ours.seconds * 1000, peer: costs.peer.seconds * 1000,
        peerName: peerName, goal: goal, margin: margin,
        processor: costs.ours.processor / costs.peer.processor, memory: costs.ours.memory,
        memoryGoal: memoryGoal)
    ]
  }

  // MARK: Requests

  func requests() throws -> [Row] {
    func url(_ number: Int) -> String { "\(server.address)/small?n=\(number)" }
    let script = try write("gets.sb", lines: 1000) { "api get \(url($0))" }
    let background = try write("background.sb", lines: 1000) { "api get \(url($0)) &" }
    let config = try write("curl.txt", lines: 1000) { "url=\"\(url($0))\"\noutput=/dev/null" }
    let one = "\(server.address)/small"
    let large = "\(server.address)/large"
    let recording = path("recording.sblog")
    var rows = row(
      "H1", "1 000 GETs of 1 KiB, one script", pair(board("-f", script), ["curl", "-sK", config]),
      "curl, 1 000 URLs", goal: 2)
    rows += row(
      "H2", "the same with a recording",
      pair(board("--record", recording, "-f", script), board("-f", script)) {
        unlink(recording)
      }, "without", goal: 1.5)
    rows += row(
      "H3", "1 000 GETs with &, 64 connections",
      pair(
        board("-f", background), ["curl", "-sZ", "--parallel-max", "64", "-K", config]),
      "curl --parallel", goal: 2.5)
    rows += row(
      "H4", "one GET", pair(rounds: rounds * 5, board("api", "get", one), ["curl", "-s", one]),
      "curl", goal: 1, margin: 5)
    rows += row(
      "H5", "1 GB into a file",
      pair(
        board("api", "get", large, "--out", path("large")),
        ["curl", "-so", path("large.curl"), large]
      ) {
        // What exists is replaced, by both.
        unlink(path("large"))
        unlink(path("large.curl"))
      }, "curl", goal: 1.3, memoryGoal: 40)
    rows += row(
      "H6", "1 GB from a file",
      pair(
        board("api", "put", one, "@" + path("large.curl")),
        ["curl", "-sT", path("large.curl"), one]), "curl", goal: 1.3, memoryGoal: 40)
    unlink(path("large"))
    unlink(path("large.curl"))
    return rows + cancelling()
  }

  /// From the signal to the closed socket.
  private func cancelling() -> [Row] {
    var worst = 0.0
    for _ in 0..<(rounds * 5) {
      server.forgetSlow()
      guard let child = ChildProcess(board("api", "get", "\(server.address)/slow")) else {
        return []
      }
      while server.slowTimes().came == nil { usleep(1000) }
      let start = ContinuousClock.now
      kill(child.id, SIGINT)
      _ = child.wait()
      var left = server.slowTimes().left
      while left == nil {
        usleep(100)
        left = server.slowTimes().left
      }
      if let left { worst = max(worst, (left - start) / .milliseconds(1)) }
    }
    return [
      Row(
        id: "H7", name: "cancel to closed socket, the worst", ours: worst, peer: 100,
        peerName: "100 ms", goal: 1)
    ]
  }

  /// Memory after many requests: it takes about a minute.
  func memory() throws -> [Row] {
    let line = "api get \(server.address)/small --cache noCache > /dev/null"
    let scripts = try [10_000, 40_000].map { count in
      try write("\(count).sb", lines: count) { _ in line }
    }
    let costs = scripts.compactMap { ChildProcess.run(board("-f", $0)) }
    guard costs.count == 2, costs.allSatisfy({ $0.status == 0 }) else { return [] }
    return [
      Row(
        id: "H8", name: "memory after 40 000 requests", ours: costs[1].memory,
        peer: costs[0].memory, peerName: "after 10 000", goal: 1.01, unit: "MB",
        memory: costs[1].memory)
    ]
  }

  // MARK: Documents

  /// - Parameter puts: How many are put one by one: each waits for the disk.
  func documents(puts: Int) throws -> [Row] {
    func body(_ number: Int) -> String {
      #"{"n":\#(number),"name":"name \#(number)","tag":"t\#(number % 1000)"}"#
    }
    let lines = try write("puts.sb", lines: puts) { "db put puts d\($0) '\(body($0))'" }
    let statements = try write(
      "puts.sql",
      first: "pragma journal_mode=wal; pragma synchronous=full;\n"
        + "create table if not exists d (id text primary key, body text);\n", lines: puts
    ) { "insert or replace into d values ('d\($0)', json('\(body($0))'));" }
    var rows = row(
      "D1", "\(puts) `db put`, one by one",
      pair(rounds: 2, board("-f", lines), ["sqlite3", path("puts.sqlite")], input: statements),
      "sqlite3, autocommit", goal: 1.5)
    let export = try write(
      "all.jsonl", first: "{\"swiftboard\":\"db export\",\"version\":1}\n", lines: 100_000
    ) { number in
      let id = String(String(1_000_000 + number).dropFirst())
      return
        #"{"document":{"collection":"all","id":"\#(id)","updated":1700000000000000,"body":\#(body(number))}}"#
    }
    guard ChildProcess.run(board("db", "import", export))?.status == 0 else {
      print("no documents could be imported")
      return rows
    }
    let file = path("home/main.sqlite")
    func query(_ rest: String, columns: String = "id, updated, body") -> [String] {
      ["sqlite3", file, "select \(columns) from documents where collection='all' \(rest)"]
    }
    rows += row(
      "D2", "db list --where tag=t700 --limit 5",
      pair(
        board("db", "list", "all", "--where", "tag=t700", "--limit", "5"),
        query("and json_extract(body,'$.tag')='t700' order by id limit 5")), "sqlite3", goal: 2)
    rows += row(
      "D3", "db list --sort tag --limit 5",
      pair(
        board("db", "list", "all", "--sort", "tag", "--limit", "5"),
        query("order by json_extract(body,'$.tag'), id limit 5")), "sqlite3", goal: 2)
    // The same text: the time as a date, the body checked.
    let columns =
      "id, strftime('%Y-%m-%dT%H:%M:%fZ', updated/1000000.0, 'unixepoch') updated, json(body) body"
    rows += row(
      "D4", "db list of 100 000, a table",
      pair(
        board("db", "list", "all"),
        ["sqlite3", "-column"]
          + query("order by id", columns: columns)
          .dropFirst()), "sqlite3 -column", goal: 2, memoryGoal: 40)
    rows += row(
      "D5", "the same, plain",
      pair(board("--plain", "db", "list", "all"), query("order by id", columns: columns)),
      "sqlite3", goal: 2, memoryGoal: 40)
    return rows
  }

  // MARK: The program

  func starts() -> [Row] {
    _ = ChildProcess.run(board("db", "preference", "set", "x", "1"))
    var rows = row(
      "R1", "--version", pair(rounds: rounds * 5, [program, "--version"], ["curl", "--version"]),
      "curl --version", goal: 1)
    if let costs = pair(
      rounds: rounds * 5, board("-c", "db preference get x"), ["true"])
    {
      rows.append(
        Row(
          id: "R2", name: "-c 'db preference get x'", ours: costs.ours.seconds * 1000, peer: 10,
          peerName: "10 ms", goal: 1, memory: costs.ours.memory))
    }
    if let prompt = firstPrompt() {
      rows.append(
        Row(
          id: "R3", name: "first prompt", ours: prompt * 1000, peer: 15, peerName: "15 ms", goal: 1)
      )
    }
    let stripped = path("stripped")
    var file = stat()
    if ChildProcess.run(["strip", "-o", stripped, program])?.status == 0, stat(stripped, &file) == 0
    {
      rows.append(
        Row(
          id: "R4", name: "the program, stripped", ours: Double(file.st_size) / 1e6, peer: 18,
          peerName: "18 MB", goal: 1, unit: "MB"))
    }
    return rows
  }

  /// The time from the start to the prompt at a terminal, the least of several.
  private func firstPrompt() -> Double? {
    var best: Double?
    for _ in 0...(rounds * 5) {
      guard let (terminal, name) = Self.terminal() else { return nil }
      defer { close(terminal) }
      _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
      let start = ContinuousClock.now
      guard
        let child = ChildProcess(
          [program, "--home", path("home"), "--no-init"], terminal: name)
      else { return nil }
      var seen = ""
      var buffer = [UInt8](repeating: 0, count: 4096)
      func hasPrompt() -> Bool { ["> ", "\u{203A} "].contains { seen.contains($0) } }
      while !hasPrompt() {
        let count = read(terminal, &buffer, buffer.count)
        guard count > 0 else { break }
        seen += String(decoding: buffer[..<count], as: UTF8.self)
      }
      let time = (ContinuousClock.now - start) / .seconds(1)
      kill(child.id, SIGTERM)
      _ = child.wait()
      guard hasPrompt() else { return nil }
      best = min(best ?? .infinity, time)
    }
    return best
  }

  /// A terminal: the end that this process reads, and the name of the other.
  private static func terminal() -> (Int32, String)? {
    #if canImport(Glibc)
      let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var (isLocked, number): (Int32, Int32) = (0, 0)
      // TIOCSPTLCK and TIOCGPTN, which the library does not declare for Swift.
      guard terminal >= 0, ioctl(terminal, 0x4004_5431, &isLocked) == 0,
        ioctl(terminal, 0x8004_5430, &number) == 0
      else { return nil }
      return (terminal, "/dev/pts/\(number)")
    #else
      let terminal = posix_openpt(O_RDWR | O_NOCTTY)
      guard terminal >= 0, grantpt(terminal) == 0, unlockpt(terminal) == 0,
        let name = ptsname(terminal)
      else { return nil }
      return (terminal, String(cString: name))
    #endif
  }
}
