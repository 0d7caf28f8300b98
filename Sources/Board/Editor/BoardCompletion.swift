import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem
import Synchronization

/// Finds the candidates of a line: words from the table of commands, and values from the board, its
/// features and the file system.
final class BoardCompletion: Sendable {
  private struct Source: Sendable {
    let board: Board
    let dependencies: Dependencies
    let userHome: String
  }

  /// The default of `limit`.
  static let defaultLimit = Duration.milliseconds(500)
  /// The maximum number of candidates of a folder or a table.
  private static let countLimit = 2000

  private let source = Mutex<Source?>(nil)
  /// The maximum time for an answer. Keys wait for it, except for Ctrl-C and Ctrl-G.
  private let limit: Duration

  /// Creates a completion without a board.
  init(limit: Duration = defaultLimit) {
    self.limit = limit
  }

  /// Gives the completion its board. Before that, it finds nothing.
  ///
  /// - Parameter userHome: The folder that `~/` at the start of a file's name stands for.
  func attach(to board: Board, _ dependencies: Dependencies, userHome: String) {
    source.withLock { $0 = Source(board: board, dependencies: dependencies, userHome: userHome) }
  }

  /// Returns the candidates, or `nil` if finding them takes longer than `limit`.
  func answer(_ request: CompletionRequest) async -> CompletionAnswer? {
    guard let source = source.withLock({ $0 }) else { return nil }
    let aliases = source.board.store.withState { $0.shell.aliases } ?? [:]
    let found = LineCompletion(request.text, in: source.board.features.commands) { name in
      aliases[name].flatMap { try? AliasExpansion.words(of: $0) }?.map { $0.literal ?? "" }
    }
    guard let completion = found else { return nil }
    guard let kind = completion.kind else { return completion.answer([]) }
    return await Self.within(limit) {
      let values = await Self.values(
        kind, completion.typed, source, in: completion.isInHome ? source.userHome : nil)
      let redactor = source.dependencies.logger.redactor
      // A name that was stored before it became a secret.
      return completion.answer(values.filter { redactor.mask($0.text).names.isEmpty })
    }
  }

  /// Returns the result of `body`, or `nil` if it takes longer than `limit`.
  static func within<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async -> Value
  ) async -> Value? {
    await withCheckedContinuation { continuation in
      let waiter = Waiter(continuation)
      // A task group would wait for the slower of the two.
      Task {
        try? await Task.sleep(for: limit)
        waiter.resume(returning: nil)
      }
      Task { waiter.resume(returning: await body()) }
    }
  }

  private static func values(
    _ kind: ValueKind, _ typed: String, _ source: Source, in folder: String?
  ) async -> [LineCompletion.Value] {
    let board = source.board
    switch kind {
    case .variable:
      return board.store.withState { $0.shell.variables.keys.sorted() }.map { .init($0) }
    case .command, .alias:
      return board.store.withState { ($0.shell.aliases ?? [:]).keys.sorted() }.map { .init($0) }
    case .job:
      let jobs = board.store.withState { $0.shell.running.map(\.job) }
      return jobs.map { .init(String($0)) } + [.init("all")]
    case .step:
      return ["end"].map { .init($0) } + board.marks.map { .init("@\($0)") }
    default:
      return await values(
        kind, typed, board.features, board.store.state, source.dependencies, in: folder)
    }
  }

  /// Returns the values of a kind that a state, the services and the file system have.
  ///
  /// - Parameter folder: The folder that files are in, or `nil` for the current one.
  static func values(
    _ kind: ValueKind, _ typed: String, _ features: FeatureList, _ state: BoardState,
    _ dependencies: Dependencies, in folder: String? = nil
  ) async -> [LineCompletion.Value] {
    switch kind {
    case .path: return paths(typed, state)
    case .link: return features.linkHosts.map { .init("swiftboard://\($0)/", isPartial: true) }
    case .file, .directory:
      return await DetachedThread.run {
        files(typed, in: folder.map { $0 + "/" } ?? "", areFolders: kind == .directory)
      }
    default:
      var values: [LineCompletion.Value] = []
      for feature in features.features {
        values += await feature.candidates(kind, state, dependencies)
      }
      return Array(values.prefix(countLimit))
    }
  }

  /// Returns the members of the state at the path before the last dot.
  private static func paths(_ typed: String, _ state: BoardState) -> [LineCompletion.Value] {
    guard let json = try? StateJSON.of(state, askedBy: 0) else { return [] }
    let dot = typed.lastIndex(of: ".")
    let base = dot.map { String(typed[..<$0]) }
    var parent: JSON? = json
    if let base { parent = (try? JSONPath(parsing: base)).flatMap { json.value(at: $0) } }
    let head = base.map { $0 + "." } ?? ""
    return (parent?.members ?? []).compactMap { member in
      guard isName(member.key) else { return nil }
      if case .object = member.value { return .init(head + member.key, isPartial: true) }
      return .init(head + member.key)
    }
  }

  /// Returns whether a member can be named in a path without quotes.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 == UInt8(ascii: "_") || isLetterOrDigit($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  /// Returns the names in the folder of a path. Hidden ones are only found by their dot.
  private static func files(
    _ typed: String, in base: String, areFolders: Bool
  ) -> [LineCompletion.Value] {
    let slash = typed.lastIndex(of: "/")
    let head = slash.map { String(typed[...$0]) } ?? ""
    let name = String(typed.dropFirst(head.count))
    let folder = base + head
    guard let names = try? FileSystem().names(in: folder.isEmpty ? "." : folder) else { return [] }
    let found = names.filter { candidate in
      // The replacement of bytes that are not UTF-8, which no line can write.
      candidate.hasPrefix(name) && !candidate.unicodeScalars.contains("\u{FFFD}")
        && candidate != "." && candidate != ".."
        && (name.hasPrefix(".") || !candidate.hasPrefix("."))
    }
    return found.sorted().prefix(countLimit).compactMap { candidate in
      let isFolder = FileInfo(folder + candidate)?.isFolder == true
      if areFolders, !isFolder { return nil }
      return .init(head + candidate + (isFolder ? "/" : ""), isPartial: isFolder)
    }
  }
}
