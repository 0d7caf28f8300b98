import SwiftBoardStore
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite("A reducer with a body")
struct BodyAndReduceTests {
  static func source(_ more: String) -> String {
    """
    import SwiftBoardStore

    struct Both: ComposedReducer {
      var body: some Reducer<Int, Bool, String> {
        Reduce { state, action, _ in
          state += 1
          return []
        }
      }
      \(more)
    }
    """
  }

  @Test(
    "one that has a reduce as well does not compile, and the error names it and says why",
    .enabled(if: modules != nil && compiler != nil))
  func both() throws {
    let modules = try #require(Self.modules)
    let compiler = try #require(Self.compiler)
    var name = Array("/tmp/swiftboard-XXXXXX".utf8CString)
    try #require(mkdtemp(&name) != nil)
    let folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let file = folder + "/both.swift"
    let output = folder + "/output"
    defer {
      for path in [file, output] { unlink(path) }
      rmdir(folder)
    }
    func compile(_ source: String) throws -> (status: Int32, output: String) {
      try write(source, to: file)
      let status = try run(
        [compiler, "-typecheck", "-swift-version", "6", "-I", modules, file], output: output)
      return (status, try contents(of: output))
    }
    let reduce =
      "func reduce(_ state: inout Int, _ action: Bool, _ text: String) -> [Effect<Bool>] { [] }"
    let wrong = try compile(Self.source(reduce))
    #expect(wrong.status == 1, "\(wrong.output)")
    #expect(wrong.output.contains("type 'Both' does not conform"), "\(wrong.output)")
    #expect(
      wrong.output.contains("a type with a body has no reduce of its own"), "\(wrong.output)")
    // With a body alone, or beside another function of that name, all is well.
    let other = "func reduce(twice state: inout Int) {}"
    for source in ["", other].map(Self.source) {
      let right = try compile(source)
      #expect(right.status == 0, "\(right.output)")
    }
  }

  @Test("a composed reducer is called as any other")
  func called() {
    struct Composed: ComposedReducer {
      var body: some Reducer<[Int], Int, Int> {
        Reduce { state, action, more in
          state.append(action + more)
          return []
        }
        Reduce { state, action, _ in action > 0 ? [.send(action - 1)] : [] }
      }
    }
    func generic<R: Reducer>(_ reducer: R, _ state: inout R.State, _ action: R.Action)
      -> [Effect<R.Action>] where R.Dependencies == Int
    { reducer.reduce(&state, action, 10) }
    var state: [Int] = []
    let effects = Composed().reduce(&state, 1, 20)
    #expect(effects.descriptors().map(\.kind) == [.send])
    #expect(generic(Composed(), &state, 0).isEmpty)
    #expect(state == [21, 10])
    #expect(Composed.hasBodyAlone)
    let store = Store(initialState: [], reducer: Composed(), dependencies: 0)
    store.send(2)
    #expect(store.state == [2, 1, 0])
  }

  /// The modules are where the test program is.
  private static let modules: String? = {
    guard let real = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(real) }
    let program = String(cString: real)
    let folder = program.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Modules"
    return access(folder + "/SwiftBoardStore.swiftmodule", F_OK) == 0 ? folder : nil
  }()

  private static let compiler: String? = {
    guard let path = getenv("PATH") else { return nil }
    return String(cString: path).split(separator: ":").map { "\($0)/swiftc" }
      .first { access($0, X_OK) == 0 }
  }()

  private struct SystemError: Error { let code: Int32 }

  private func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw SystemError(code: errno) }
    defer { fclose(file) }
    guard fputs(text, file) >= 0 else { throw SystemError(code: errno) }
  }

  private func contents(of path: String) throws -> String {
    guard let file = fopen(path, "r") else { throw SystemError(code: errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte >= 0 { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Runs a program to its end; gives its exit status, or 256 and the signal that ended it.
  private func run(_ words: [String], output: String) throws -> Int32 {
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var process = pid_t()
    let result = posix_spawn(&process, words[0], &actions, nil, arguments, environ)
    guard result == 0 else { throw SystemError(code: result) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 256 + (status & 0x7F)
  }
}
