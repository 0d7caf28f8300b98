import SwiftBoardSystem
import Testing

@testable import SwiftBoardDependencies

@Suite struct UnlockSourceTests {
  private let folder: KeychainFolder

  init() throws {
    folder = try KeychainFolder()
  }

  private func sources(_ environment: [String: String]) -> UnlockSources {
    UnlockSources(environment: environment) { $0 == geteuid() }
  }

  private func passphrase(_ sources: UnlockSources) throws -> [UInt8] {
    guard case .passphrase(let bytes)? = try sources.secret() else { return [] }
    return try bytes.withBytes { Array($0) }
  }

  private func kind(_ environment: [String: String]) -> KeychainError.Kind? {
    do throws(KeychainError) {
      _ = try sources(environment).secret()
      return nil
    } catch {
      return error.kind
    }
  }

  @Test("without a source there is no secret") func none() throws {
    #expect(try UnlockSources.none.secret() == nil)
    #expect(try sources(["SWIFTBOARD_KEY_FILE": "", "PATH": "/bin"]).secret() == nil)
    #expect(!UnlockSources.none.hasSecret)
  }

  @Test(
    "one final line end is removed and nothing else",
    arguments: [
      ("word", "word"), ("word\n", "word"), ("word\r\n", "word"), ("word\n\n", "word\n"),
      ("word\r", "word\r"),
      (" wörd \n", " wörd "), ("a\nb\n", "a\nb"),
    ])
  func lineEnd(content: String, expected: String) throws {
    let file = try folder.write(Array(content.utf8), to: "p")
    let sources = sources(["SWIFTBOARD_PASSPHRASE_FILE": file])
    #expect(try passphrase(sources) == Array(expected.utf8))
    #expect(try passphrase(sources) == Array(expected.utf8), "a file can be read again")
  }

  @Test("a passphrase is bytes, not text")
  func notText() throws {
    let file = try folder.write([0xFF, 0x00, 0xFE, 0x0A], to: "p")
    #expect(try passphrase(sources(["SWIFTBOARD_PASSPHRASE_FILE": file])) == [0xFF, 0x00, 0xFE])
  }

  @Test(
    "the length of a passphrase is limited",
    arguments: [
      (0, false), (1, true), (1024, true), (1025, false), (1026, false), (5000, false),
    ])
  func passphraseLength(count: Int, isValid: Bool) throws {
    for end in ["", "\n", "\r\n"] {
      let file = try folder.write(Array(repeating: 0x61, count: count) + Array(end.utf8), to: "p")
      #expect(kind(["SWIFTBOARD_PASSPHRASE_FILE": file]) == (isValid ? nil : .invalidPassphrase))
    }
  }

  @Test(
    "a key file has one length",
    arguments: [(0, false), (31, false), (32, true), (33, false), (5000, false)])
  func keyFileLength(count: Int, isValid: Bool) throws {
    let file = try folder.write(Array(repeating: 0x0A, count: count), to: "k")
    #expect(kind(["SWIFTBOARD_KEY_FILE": file]) == (isValid ? nil : .invalidKeyFile))
  }

  @Test(
    "a file that others may read or write is refused",
    arguments: [mode_t(0o600), 0o400, 0o640, 0o604, 0o644, 0o620])
  func modes(mode: mode_t) throws {
    let file = try folder.write(Array("word".utf8), to: "p", mode: mode)
    let expected: KeychainError.Kind? = mode & 0o077 == 0 ? nil : .insecurePermissions
    #expect(kind(["SWIFTBOARD_PASSPHRASE_FILE": file]) == expected)
  }

  @Test("a credential may show its access list as the group's")
  func credentialModes() throws {
    for (mode, expected) in [(mode_t(0o440), nil), (0o444, KeychainError.Kind.insecurePermissions)]
    {
      _ = try folder.write(Array("word".utf8), to: "swiftboard.passphrase", mode: mode)
      #expect(kind(["CREDENTIALS_DIRECTORY": folder.path]) == expected)
    }
  }

  @Test("a key among the credentials is a source") func credentialKey() throws {
    #expect(kind(["CREDENTIALS_DIRECTORY": folder.path]) == nil)
    #expect(!sources(["CREDENTIALS_DIRECTORY": folder.path]).hasSecret)
    _ = try folder.write(Array(0..<32), to: "swiftboard.key", mode: 0o440)
    guard case .keyFile(let key)? = try sources(["CREDENTIALS_DIRECTORY": folder.path]).secret()
    else {
      Issue.record("no key file")
      return
    }
    #expect(try key.withBytes { Array($0) } == Array(0..<32))
    _ = try folder.write(Array("word".utf8), to: "swiftboard.passphrase")
    #expect(kind(["CREDENTIALS_DIRECTORY": folder.path]) == .unlockSourceAmbiguous)
  }

  @Test("a file of another owner is refused") func anotherOwner() throws {
    let file = try folder.write(Array("word".utf8), to: "p")
    let sources = UnlockSources(environment: ["SWIFTBOARD_PASSPHRASE_FILE": file]) { _ in false }
    #expect(throws: KeychainError.self) { try sources.secret() }
  }

  @Test("what is no file is refused and never waited for")
  func notAFile() throws {
    let fifo = "\(folder.path)/fifo"
    try #require(mkfifo(fifo, 0o600) == 0)
    for path in [fifo, folder.path, "/dev/null"] {
      #expect(kind(["SWIFTBOARD_PASSPHRASE_FILE": path]) == .insecurePermissions)
      #expect(kind(["SWIFTBOARD_KEY_FILE": path]) == .insecurePermissions)
    }
  }

  @Test("a descriptor is advised for a passphrase alone: a key cannot come from one")
  func descriptorAdvice() throws {
    let fifo = "\(folder.path)/fifo"
    try #require(mkfifo(fifo, 0o600) == 0)
    let open = try folder.write(Array(repeating: 1, count: 32), to: "k", mode: 0o644)
    for path in [fifo, open] {
      for (variable, isAdvised) in [
        ("SWIFTBOARD_PASSPHRASE_FILE", true), ("SWIFTBOARD_KEY_FILE", false),
      ] {
        let error = #expect(throws: KeychainError.self) { try sources([variable: path]).secret() }
        let hasAdvice = error?.message.contains("SWIFTBOARD_PASSPHRASE_FD")
        #expect(hasAdvice == isAdvised, "\(String(describing: error))")
      }
    }
  }

  @Test(
    "a file that is not there is named with its variable",
    arguments: ["SWIFTBOARD_PASSPHRASE_FILE", "SWIFTBOARD_KEY_FILE"])
  func absent(variable: String) throws {
    _ = try folder.write([], to: "file")
    for name in ["absent", "file/below", "none/at/all"] {
      let path = "\(folder.path)/\(name)"
      let error = #expect(throws: KeychainError.self) { try sources([variable: path]).secret() }
      #expect(error?.kind == .missingUnlockSource)
      #expect(error?.path == path)
      #expect(error?.message.hasPrefix("\(path) (\(variable)): ") == true)
    }
  }

  @Test("links are followed")
  func link() throws {
    _ = try folder.write(Array("word".utf8), to: "p")
    try #require(symlink("p", "\(folder.path)/link") == 0)
    #expect(
      try passphrase(sources(["SWIFTBOARD_PASSPHRASE_FILE": "\(folder.path)/link"]))
        == Array("word".utf8))
  }

  @Test("several sources are refused") func ambiguous() throws {
    let file = try folder.write(Array("word".utf8), to: "p")
    let both = ["SWIFTBOARD_PASSPHRASE_FILE": file, "SWIFTBOARD_KEY_FILE": file]
    #expect(kind(both) == .unlockSourceAmbiguous)
    #expect(
      kind(["SWIFTBOARD_PASSPHRASE_FD": "9", "SWIFTBOARD_KEY_FILE": file]) == .unlockSourceAmbiguous
    )
  }

  @Test("a descriptor is read once, closed, and kept from child processes")
  func descriptor() throws {
    let end = try pipe(holding: Array("wörd\n".utf8))
    let sources = sources(["SWIFTBOARD_PASSPHRASE_FD": "\(end)"])
    #expect(fcntl(end, F_GETFD) & FD_CLOEXEC != 0)
    #expect(sources.hasSecret)
    #expect(try passphrase(sources) == Array("wörd".utf8))
    #expect(!sources.hasSecret)
    do throws(KeychainError) {
      _ = try sources.secret()
      Issue.record("read twice")
    } catch {
      #expect(error.kind == .locked)
    }
  }

  @Test("a descriptor that cannot be read is said to be none")
  func closedDescriptor() throws {
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    #expect(kind(["SWIFTBOARD_PASSPHRASE_FD": "\(Int32.max)"]) == .missingUnlockSource)
    #expect(kind(["SWIFTBOARD_PASSPHRASE_FD": "\(null)"]) == .missingUnlockSource)
    close(null)
  }

  @Test(
    "what is no descriptor's number is refused and not shown",
    arguments: ["2", "0", "-1", "x", "3x", " 3", "99999999999", "my passphrase"])
  func descriptorNumber(value: String) throws {
    let sources = sources(["SWIFTBOARD_PASSPHRASE_FD": value])
    do throws(KeychainError) {
      _ = try sources.secret()
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .invalidPassphrase)
      #expect(!error.message.contains("my passphrase"))
    }
  }

  @Test("a key file is made for its owner alone, and never over a file") func madeKeyFile() throws {
    let path = "\(folder.path)/new.key"
    try UnlockSources.makeKeyFile(at: path)
    #expect(mode(of: path) == 0o600)
    #expect(kind(["SWIFTBOARD_KEY_FILE": path]) == nil)
    let before = try bytes(of: path)
    #expect(throws: KeychainError.self) { try UnlockSources.makeKeyFile(at: path) }
    #expect(try bytes(of: path) == before)
  }

  #if !os(macOS)
    @Test("the variables of the sources are removed from the environment")
    func removedFromEnvironment() async {
      await #expect(processExitsWith: .success) {
        let names = [
          "SWIFTBOARD_PASSPHRASE_FD", "SWIFTBOARD_PASSPHRASE_FILE", "SWIFTBOARD_KEY_FILE",
          "CREDENTIALS_DIRECTORY",
        ]
        for name in names { setenv(name, "x", 1) }
        UnlockSources.removeFromEnvironment()
        for name in names where getenv(name) != nil { exit(1) }
      }
    }
  #endif
}
