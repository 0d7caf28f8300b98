import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// Recordings of earlier programs, with what they printed. They stay as they are.
@Suite(.timeLimit(.minutes(20)))
struct EarlierRecordingTests {
  private static let folder = "\(SourceTree.root)/Tests/IntegrationTests/Recordings"

  /// The recordings:
  ///
  /// - a session of all features (schema 2), made while members of bodies were masked by their
  ///   names and bodies were always indented;
  /// - one with a mark that was left for a fork, and the fork (schema 3), made while no effect did
  ///   that;
  /// - one with requests and looks at states (schema 4), made while answers repeated their requests
  ///   and values were JSON text;
  /// - one with a request that is kept, an import and a secret that becomes known (schema 5), made
  ///   while requests were kept after their answers;
  /// - one that begins with a large document (schema 5), made while its command waited for the
  ///   names in the database;
  /// - one with long filters, failures and a secret that becomes known while a search for it is
  ///   shown (schema 7), made while `characters` stayed there;
  /// - one with answers of many escapes (schema 8), made while every body that is text was written
  ///   as text.
  @Test(
    "an earlier recording replays to the same transcript",
    arguments: [
      "every-feature", "marks", "marks-fork", "values", "saved", "large", "places", "bodies",
    ])
  func itReplaysToTheSameTranscript(name: String) async throws {
    let program = try Program()
    let recording = "\(Self.folder)/\(name).actions.jsonl"
    let verified = try await program.run("session", "verify", recording)
    #expect(verified.status == .exited(0), "\(verified.errorText)")
    #expect(!verified.outputText.contains("warning"), "\(verified.outputText)")
    let replayed = try await program.run("session", "replay", recording)
    #expect(replayed.status == .exited(0), "\(replayed.errorText)")
    let transcript = try #require(
      FileManager.default.contents(atPath: "\(Self.folder)/\(name).txt"))
    #expect(replayed.output == [UInt8](transcript))
  }

  @Test(
    "a fork of an earlier recording is complete, with the digests of that time",
    arguments: ["large", "places", "saved", "bodies"])
  func fork(name: String) async throws {
    let program = try Program()
    let recording = "\(Self.folder)/\(name).actions.jsonl"
    for target in ["2", "end"] {
      let path = program.folder.path("fork-\(target)")
      let forked = try await program.run("session", "fork", target, path, "--file", recording)
      #expect(forked.status == .exited(0), "\(forked.errorText)")
      let verified = try await program.run("session", "verify", path)
      #expect(verified.status == .exited(0), "\(verified.errorText)")
      #expect(!verified.outputText.contains("cut short"), "\(verified.outputText)")
    }
  }
}
