import SwiftBoardSystem

/// The files of a live replay, which runs the lines of somebody's recording.
///
/// It refuses to write what the board that replays would refuse, and the recording that is
/// replayed. The replay's own files are in a home of its own, which `base` protects.
package struct ReplayFileService: FileService {
  private let base: any FileService
  private let outer: any FileService
  private let recording: OwnFiles

  /// - Parameters:
  ///   - base: The files of the replay.
  ///   - outer: The files of the board that replays.
  ///   - recording: The path of the recording that is replayed, with the files of its rotation.
  package init(_ base: any FileService, outer: any FileService, recording: String) {
    self.base = base
    self.outer = outer
    self.recording = OwnFiles(recording: recording, title: "recording that is replayed")
  }

  /// - Throws: `ownFile`.
  package func checkTarget(_ path: String, isRecording: Bool) throws(FileError) {
    try outer.checkTarget(path, isRecording: isRecording)
    if let title = recording.title(of: path, isRecording: true) {
      throw FileError(ownFile: path, title)
    }
    try base.checkTarget(path, isRecording: isRecording)
  }

  package func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {
    try checkTarget(path, isRecording: false)
    try await base.write(data, to: path, mode: mode)
  }

  package func output(_ path: String, continues: Bool) async throws(FileError) -> any FileOutput {
    try checkTarget(path, isRecording: false)
    return try await base.output(path, continues: continues)
  }

  package func newFile(_ path: String) async throws(FileError) -> any FileOutput {
    try checkTarget(path, isRecording: false)
    return try await base.newFile(path)
  }

  // MARK: As the base does

  package func read(_ path: String, limit: Int) async throws(FileError) -> Data {
    try await base.read(path, limit: limit)
  }

  package func input(_ path: String) async throws(FileError) -> FileInput {
    try await base.input(path)
  }

  package func makeFolder(ofRecording path: String) throws(FileError) {
    try base.makeFolder(ofRecording: path)
  }

  package func protect(recording path: String?) { base.protect(recording: path) }

  package func checkCreatable(_ path: String) throws(FileError) { try base.checkCreatable(path) }

  package func checkReadable(_ path: String) throws(FileError) { try base.checkReadable(path) }

  package func isFile(_ path: String) -> Bool { base.isFile(path) }

  package func absolutePath(_ path: String) -> String { base.absolutePath(path) }

  package func shutDown(within duration: Duration) async -> Bool {
    await base.shutDown(within: duration)
  }
}
