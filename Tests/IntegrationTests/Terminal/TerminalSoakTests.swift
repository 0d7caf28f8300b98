import SwiftBoardSystem
import SwiftBoardTestSupport
import SwiftBoardTesting
import Testing

/// A session of `SWIFTBOARD_SOAK_SECONDS` in tmux, which `make soak` sets: lines of every command
/// are typed with pauses, detours and pastes while the window changes its size. After each line the
/// screen is compared with the model of a terminal that the other tests use.
///
/// A terminal emulator offers no event for “nothing more comes”, so that this test polls and
/// pauses as a person would. It is no part of `make test`.
struct TerminalSoakTests {
  private static func number(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  @Test(
    "a long session leaves the screen that the model of a terminal has",
    .enabled(
      if: ProcessInfo.processInfo.environment["SWIFTBOARD_SOAK_SECONDS"] != nil,
      "a part of `make soak`"))
  func aLongSession() async throws {
    let seconds = try #require(Self.number("SWIFTBOARD_SOAK_SECONDS"))
    let seed = UInt64(Self.number("SWIFTBOARD_SEED") ?? 1)
    let program = try Program()
    try program.folder.write("echo from a file\n", to: "more.sb")
    let old = try await program.run(
      "--environment", "mock", "--record", "old.jsonl", "-c", "set x 1", "-c", "db put c 1 {}")
    try #require(old.status == .exited(0), "\(old.errorText)")

    var environment = program.environment()
    environment["SWIFTBOARD"] = try Program.executable()
    // The pager is a program of its own.
    environment["PAGER"] = ""
    let tmux = try await Tmux(
      """
      trap : INT; stty -g > before; "$SWIFTBOARD" --environment mock --home h --no-init --record r.jsonl; \
      echo $? > status; stty -g > after; echo the end
      """, folder: program.folder, environment: environment)
    var typist = Typist(tmux: tmux, random: SeededRandom(seed: seed))
    let outcome: Result<Void, any Error>
    do {
      try await typist.work(for: .seconds(seconds))
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    await tmux.end()
    #expect(typist.differences == [], "seed \(seed)")
    #expect(typist.unknown == [])
    print("typed \(typist.lines) lines, \(typist.resizes) resizes, \(typist.pastes) pastes")
    try outcome.get()

    #expect(try program.text("status") == "0\n")
    #expect(try program.text("before") == program.text("after"))
    let verified = try await program.run("session", "verify", "r.jsonl")
    #expect(verified.status == .exited(0), "\(verified.errorText)")
  }

  /// Types lines, and compares what each leaves on the screen.
  private struct Typist {
    let tmux: Tmux
    var random: SeededRandom
    var columns = 80
    var rows = 24
    /// Where the output of the present size begins, at a cleared screen.
    var start = 0
    var model = ScreenModel(columns: 80, rows: 24)
    var modelled = 0
    var lines = 0
    var resizes = 0
    var pastes = 0
    var differences: [String] = []
    var unknown: [String] = []

    init(tmux: Tmux, random: SeededRandom) {
      self.tmux = tmux
      self.random = random
    }

    mutating func work(for duration: Duration) async throws {
      // Real time: the session lasts as long as `make soak` says.
      let clock = ContinuousClock()
      let end = clock.now + duration
      let commands = EveryCommandTests.lines.flatMap(\.lines)
      try await settle("the start")
      try await resize()
      while clock.now < end {
        for command in commands where differences.count < 5 {
          // A journey into the past would fill the recording with journeys.
          try await run(command)
          if clock.now >= end { break }
        }
        if differences.count >= 5 { break }
      }
      try await press("C-l")
      try await settle("the end")
      for round in 0..<600 {
        // A second time where jobs still run: the first one asks.
        if round % 100 == 0 {
          try await tmux.type("exit 0")
          try await press("Enter")
        }
        if try await tmux.screen().rows.contains("the end") { return }
        try await wait(milliseconds: 50)
      }
      let rows = try await tmux.screen().rows
      differences.append("the program does not end:\n\(rows.joined(separator: "\n"))")
    }

    private mutating func run(_ command: String) async throws {
      if Int.random(in: 0..<40, using: &random) == 0 { try await resize() }
      try await enter(command)
      try await settle(command)
      lines += 1
    }

    /// Types a line in one of the ways in which people do, and Enter.
    private mutating func enter(_ command: String) async throws {
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        pastes += 1
        try await tmux.paste(command)
      case 1:
        // Something else, taken back.
        try await type("echo 家é 👍 ü")
        try await press("C-u")
        try await type(command)
      case 2:
        // The middle first, and the keys that move. The second half is never empty, because C-e at
        // the end of a line takes the hint.
        let half = command.index(
          command.startIndex, offsetBy: Int.random(in: 0..<command.count, using: &random))
        try await type(String(command[half...]))
        try await press("C-a")
        try await type(String(command[..<half]))
        try await press("C-e")
      case 3:
        // A word too many, removed, brought back and removed.
        try await type(command + " xyz")
        try await press("C-w", "C-y", "C-w", "BSpace")
      case 4:
        // A search that is left, and a look at what could follow.
        try await press("C-r")
        try await type("ap")
        try await press("C-g")
        try await press("C-u")
        try await type(command)
      default: try await type(command)
      }
      let expected = "› " + command
      // A longer line takes more rows than the one with the cursor. The prompt before it has up to
      // 28 columns, where it shows two steps of six digits.
      let isOneRow = expected.count + 28 < columns && command.allSatisfy(\.isASCII)
      try await settle("typing \(command)") { !isOneRow || $0.line.contains(expected) }
      try await press("Enter")
    }

    private mutating func type(_ text: String) async throws {
      var rest = Substring(text)
      while !rest.isEmpty {
        let count = Int.random(in: 1...12, using: &random)
        try await tmux.type(String(rest.prefix(count)))
        rest = rest.dropFirst(count)
        if Int.random(in: 0..<4, using: &random) == 0 {
          try await wait(milliseconds: Int.random(in: 1...60, using: &random))
        }
      }
    }

    private func press(_ keys: String...) async throws {
      for key in keys { try await tmux.press(key) }
    }

    private func wait(milliseconds: Int) async throws {
      // Real time: a terminal emulator has no event for the end of its drawing, and people pause.
      try await Task.sleep(for: .milliseconds(milliseconds))
    }

    /// Gives the window another size, and begins the comparison anew at a cleared screen: what a
    /// terminal does with the lines that it has is its own matter.
    private mutating func resize() async throws {
      columns = Int.random(in: 40...140, using: &random)
      rows = Int.random(in: 12...50, using: &random)
      resizes += 1
      let before = try tmux.shown(from: start).count + start
      try await tmux.resize(columns: columns, rows: rows)
      try await press("C-l")
      let clear = Array("\u{1B}[H\u{1B}[2J".utf8)
      for _ in 0..<400 {
        let shown = try tmux.shown(from: before)
        if let range = shown.ranges(of: clear).last {
          start = before + range.lowerBound
          model = ScreenModel(columns: columns, rows: rows)
          modelled = start
          return try await settle("a window of \(columns) × \(rows)")
        }
        try await wait(milliseconds: 25)
      }
      differences.append("C-l does not clear the screen of \(columns) × \(rows)")
    }

    /// Waits until the screen is the model's and fulfils a condition, which is that it ends with
    /// the prompt. A question of the program is answered with C-c.
    private mutating func settle(
      _ cause: String, until condition: ((Tmux.Screen) -> Bool)? = nil
    ) async throws {
      var screen = try await tmux.screen()
      for round in 1...400 {
        let bytes = try tmux.shown(from: modelled)
        model.show(bytes)
        modelled += bytes.count
        let isEqual = bytes.isEmpty && isModel(screen)
        if isEqual && (condition ?? isPrompt)(screen) {
          unknown += model.unknown
          return
        }
        if condition == nil && isEqual && round % 40 == 0 { try await press("C-c") }
        try await wait(milliseconds: round < 20 ? 5 : 25)
        screen = try await tmux.screen()
      }
      differences.append(
        """
        after \(cause) at \(columns) × \(rows):
        \(screen.rows.joined(separator: "\n"))
        cursor \(screen.row), \(screen.column); the model:
        \(model.screen.joined(separator: "\n"))
        cursor \(model.cursor)
        """)
    }

    private func isPrompt(_ screen: Tmux.Screen) -> Bool {
      screen.line.hasPrefix("board") && screen.line.hasSuffix("›")
    }

    private func isModel(_ screen: Tmux.Screen) -> Bool {
      screen.rows == model.screen && screen.row == model.cursor.row
        && screen.column == model.cursor.column
    }
  }
}
