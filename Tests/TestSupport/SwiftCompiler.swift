import SwiftBoardSystem

/// The compiler, for tests of what does not compile. It is skipped where there is none.
public enum SwiftCompiler {
  /// The folder of the modules of these tests, which is where the test program is; `nil` if there
  /// is none.
  public static let modules: String? = {
    guard let real = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(real) }
    let program = String(cString: real)
    let folder = program.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/Modules"
    return access(folder + "/SwiftBoardStore.swiftmodule", F_OK) == 0 ? folder : nil
  }()

  /// The first `swiftc` of `PATH`; `nil` if there is none.
  public static let path: String? = {
    guard let path = getenv("PATH") else { return nil }
    return String(cString: path).split(separator: ":").map { "\($0)/swiftc" }
      .first { access($0, X_OK) == 0 }
  }()

  /// Whether `typecheck(_:)` can be used.
  public static var isThere: Bool { modules != nil && path != nil }

  /// Type-checks a source with the modules of these tests.
  public static func typecheck(_ source: String) async throws -> ChildProcess.Outcome {
    guard let modules, let path else { throw SystemFailure("find swiftc") }
    let folder = try TemporaryFolder()
    let file = try folder.write(source, to: "source.swift")
    return try await runProcess(path, ["-typecheck", "-swift-version", "6", "-I", modules, file])
  }
}
