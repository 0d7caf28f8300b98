import SwiftBoardJSON
import Synchronization

/// Writes events to a file on this machine, one JSON object a line:
/// `{"id":"…","time":"2026-01-01T00:00:00.000000Z","event":"api.get","properties":{"service":"example"}}`.
///
/// Mode 0600; rotated at `maxBytes`, `maxFiles` are kept. Nothing is opened before the first event.
public final class FileAnalyticsProvider: AnalyticsProvider {
  /// Why events could not be written.
  public struct Failure: Error, Sendable, Equatable {
    /// How many of the events that were offered are not in the file.
    public var lost: Int
  }

  /// For statistics.
  public let name: String
  private let file: Mutex<LineFile>

  /// A provider that has opened nothing yet.
  ///
  /// - Parameters:
  ///   - maxBytes: At which size the file is rotated; 1 MiB.
  ///   - maxFiles: How many are kept, the current one included.
  public init(path: String, name: String = "file", maxBytes: Int = 1 << 20, maxFiles: Int = 2) {
    self.name = name
    file = Mutex(LineFile(path: path, maxBytes: maxBytes, maxFiles: maxFiles))
  }

  /// Appends a line for each event; not synchronised to the disk.
  ///
  /// - Throws: `Failure` where lines could not be written. Lines that were written are written
  ///   again with the next attempt, under the same ids.
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
