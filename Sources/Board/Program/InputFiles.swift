import SwiftBoardDependencies
import SwiftBoardSystem

/// A file service in which a path may refer to standard input. Such a path is read from descriptor
/// 0, like `--from-stdin`, and refused if lines come from there.
struct InputFiles: FileService {
  private let files: any FileService
  private let input: StandardInput

  init(_ files: any FileService, _ input: StandardInput) {
    self.files = files
    self.input = input
  }

  func read(_ path: String, limit: Int) async throws(FileError) -> Data {
    let input = input
    guard input.isNamed(by: path) else { return try await files.read(path, limit: limit) }
    return try await DetachedThread.runInterruptibly { (interruption) throws(FileError) in
      try input.read(as: path, limit: limit, until: interruption)
    }
  }

  func write(_ data: Data, to path: String, mode: FileWriteMode) async throws(FileError) {
    try await files.write(data, to: path, mode: mode)
  }

  func checkTarget(_ path: String, isRecording: Bool) throws(FileError) {
    try files.checkTarget(path, isRecording: isRecording)
  }

  func makeFolder(ofRecording path: String) throws(FileError) {
    try files.makeFolder(ofRecording: path)
  }

  func checkReadable(_ path: String) throws(FileError) { try files.checkReadable(path) }

  func isFile(_ path: String) -> Bool { files.isFile(path) }

  func absolutePath(_ path: String) -> String { files.absolutePath(path) }

  func protect(recording path: String?) { files.protect(recording: path) }

  func checkCreatable(_ path: String) throws(FileError) {
    try files.checkCreatable(path)
  }

  func input(_ path: String) async throws(FileError) -> FileInput {
    guard input.isNamed(by: path) else { return try await files.input(path) }
    return try input.stream(as: path)
  }

  func output(_ path: String, continues: Bool) async throws(FileError) -> any FileOutput {
    try await files.output(path, continues: continues)
  }

  func newFile(_ path: String) async throws(FileError) -> any FileOutput {
    try await files.newFile(path)
  }

  func shutDown(within duration: Duration) async -> Bool {
    await files.shutDown(within: duration)
  }
}
