import SwiftBoardDependencies
import SwiftBoardRecording
import SwiftBoardSystem
import Synchronization

/// The warnings about the recording that a command reads: a last line that is cut off, a missing
/// end, lines of unknown kinds, missing files.
///
/// They are about what the command has read. One that reads a range of steps says nothing about
/// what follows it.
///
/// A command that reads a recording again, because a file of it was removed, has the warnings of
/// the last time.
final class SessionWarnings: Sendable {
  private let recording: any RecordingService
  private let secrets: RecordedSecrets
  private let found = Mutex<[String]>([])

  /// - Parameter recording: Names the recording that the board is writing.
  init(running recording: any RecordingService, _ secrets: RecordedSecrets) {
    self.recording = recording
    self.secrets = secrets
  }

  /// Sets the warnings: those of a reader, and what is unusual about the files.
  ///
  /// Nothing is unusual about the files of the recording that this board is writing.
  func note(_ warnings: [LogWarning], _ rotatedLog: RotatedLog, _ path: String) {
    let running = recording.status().path
    var texts = Self.texts(of: warnings, path, running: running, secrets)
    if !Self.isSame(path, running) { texts += rotatedLog.oddities(path).map(\.text) }
    found.withLock { $0 = texts }
  }

  /// The warnings without values of secrets, or `nil` if there are none.
  func texts(_ logger: any Logger) -> [String]? {
    let texts = found.withLock(\.self)
    return texts.isEmpty ? nil : texts.map { logger.redact($0) }
  }

  /// Returns the texts of a reader's warnings about the file at `path`, without known secrets.
  /// The recording that the board is writing naturally has no end.
  static func texts(
    of warnings: [LogWarning], _ path: String, running: String?, _ secrets: RecordedSecrets
  ) -> [String] {
    let isRunning = isSame(path, running)
    return warnings.filter { !isRunning || !$0.isAboutTheEnd }.map {
      $0.mapValues(secrets.masked).description
    }
  }

  /// Returns whether the file at `path` is that of the running recording.
  static func isSame(_ path: String, _ running: String?) -> Bool {
    guard let running, let file = FileID(path) else { return false }
    return file == FileID(running)
  }
}
