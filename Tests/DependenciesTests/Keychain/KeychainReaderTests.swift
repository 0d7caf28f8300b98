import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardDependencies

/// The same files, read by a program in another language that has no libsodium.
struct KeychainReaderTests {
  private static let python: String? = [
    "/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3",
  ]
  .first { access($0 as String, X_OK) == 0 }

  private static let folder = KeychainVector.folder.replacing("/keychain-vectors", with: "")

  /// What it prints, and its exit status.
  private func read(_ arguments: [String]) async throws -> (text: String, status: Int32) {
    let outcome = try await runProcess(
      try #require(Self.python), ["-S", Self.folder + "/read_keychain.py"] + arguments)
    return (outcome.outputText + outcome.errorText, outcome.status.code)
  }

  private struct Found: Decodable {
    var expect: String
    var entries: [String: String]?
  }

  private func entries(_ path: String, _ kind: String, _ secret: [UInt8]) async throws -> Found {
    let (text, status) = try await read([path, kind, hex(secret)])
    try #require(status == 0, "\(text)")
    return try JSONDecoder().decode(Found.self, from: Data(text.utf8))
  }

  @Test("it agrees about every published vector", .enabled(if: python != nil))
  func vectors() async throws {
    let (text, status) = try await read(["--vectors", KeychainVector.folder])
    #expect(status == 0, "\(text)")
  }

  @Test("it reads what was saved, added, rekeyed and exported", .enabled(if: python != nil))
  func written() async throws {
    let folder = try KeychainFolder()
    let key = (0..<32).map { UInt8($0 * 5 + 1) }
    let service = try await LiveKeychainService.made(at: folder.keychain)
    try await service.save(Data([0, 255]), forKey: "é\u{0}")
    try await service.save(Data(), forKey: "blank")
    let expected = [hex("é\u{0}".utf8): "00ff", hex("blank".utf8): ""]

    func expect(_ path: String, _ kind: String, _ secret: [UInt8], _ name: String) async throws {
      let found = try await entries(path, kind, secret)
      #expect(found.expect == "success", "\(name)")
      #expect(found.entries == expected, "\(name)")
    }
    try await expect(folder.keychain, "passphrase", Array("open".utf8), "saved")
    try await service.addSlot(.key(key))
    try await expect(folder.keychain, "keyfile", key, "added")
    try await expect(folder.keychain, "passphrase", Array("open".utf8), "added")
    try await service.rekey(
      KeychainRekey(
        replaced: .words("open"), replacement: .words("näw"), secrets: [.key(key)]))
    try await expect(folder.keychain, "keyfile", key, "rekeyed")
    try await expect(folder.keychain, "passphrase", Array("näw".utf8), "rekeyed")
    #expect(
      try await entries(folder.keychain, "passphrase", Array("open".utf8)).expect == "wrongSecret")
    let copy = "\(folder.path)/copy.sbkc"
    _ = try await service.export(to: copy, secret: .words("copy"))
    try await expect(copy, "passphrase", Array("copy".utf8), "exported")
  }
}
