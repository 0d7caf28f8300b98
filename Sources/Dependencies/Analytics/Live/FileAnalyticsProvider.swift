import SwiftBoardJSON
import Synchronization

/// Writes events to a local file, one JSON object per line:
/// `{"id":"…","time":"2026-01-01T00:00:00.000000Z","event":"api.get","properties":{…}}`.
///
/// The file has mode 0600. It is rotated at `maxBytes`, and `maxFiles` are kept. No file is opened
/// before the first event.
public final class FileAnalyticsProvider: AnalyticsProvider {
  /// An error when writing events.
  public struct Failure: Error, Sendable, Equatable {
    /// The number of delivered events that are not in the file.
    public var lost: Int
  }

  /// The name, for statistics.
  public let name: String
  private let file: Mutex<LineFile>

  /// Creates a provider without opening a file.
  ///
  /// - Parameters:
  ///   - maxBytes: The size at which the file is rotated. The default is 1 MiB.
  ///   - maxFiles: The number of files to keep, including the current one.
  public init(path: String, name: String = "file", maxBytes: Int = 1 << 20, maxFiles: Int = 2) {
    self.name = name
    file = Mutex(LineFile(path: path, maxBytes: maxBytes, maxFiles: maxFiles))
  }

  /// Appends a line for each event, without synchronizing to the disk.
  ///
  /// - Throws: `Failure` if lines could not be written. The next attempt writes all lines again,
  ///   with the same ids.
  public func deliver(_ events: [AnalyticsDelivery]) throws {
    let lines = events.map { delivery in
      var line: [UInt8] = []
      delivery.appendJSON(to: &line)
      line.append(0x0A)
      return line[...]
    }
    let lost = file.withLock { $0.append(lines, sync: false) }
    if lost > 0 { throw Failure(lost: lost) }
  }
}

extension AnalyticsDelivery {
  /// Appends the event as a JSON object.
  func appendJSON(to text: inout [UInt8]) {
    text += #"{"id":""#.utf8
    text += id.uuidString.utf8
    text += #"","time":""#.utf8
    text += (Timestamp.text(microseconds: Int(time)) ?? "").utf8
    text += #"","event":"#.utf8
    LogRecordLine.appendString(event.name, to: &text)
    text += #","properties":"#.utf8
    LogRecordLine.append(event.properties, to: &text)
    text += "}".utf8
  }
}
