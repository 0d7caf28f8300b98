import SwiftBoardJSON
import Synchronization

/// Writes events to a file on this machine, one JSON object a line:
/// `{"id":"…","time":"2026-01-01T00:00:00.000000Z","event":"api.get","properties":{"service":"example"}}`.
///
/// Mode 0600; rotated at `maxBytes`, `maxFiles` are kept. Nothing is opened before the first event.
package final class FileAnalyticsProvider: AnalyticsProvider {
  /// Why events could not be written.
  package struct Failure: Error, Sendable, Equatable {
    /// How many of the events that were offered are not in the file.
    package var lost: Int
  }

  /// For statistics.
  package let name: String
  private let file: Mutex<LineFile>

  /// A provider that has opened nothing yet.
  ///
  /// - Parameters:
  ///   - maxBytes: At which size the file is rotated; 1 MiB.
  ///   - maxFiles: How many are kept, the current one included.
  package init(path: String, name: String = "file", maxBytes: Int = 1 << 20, maxFiles: Int = 2) {
    self.name = name
    file = Mutex(LineFile(path: path, maxBytes: maxBytes, maxFiles: maxFiles))
  }

  /// Appends a line for each event; not synchronised to the disk.
  ///
  /// - Throws: `Failure` where lines could not be written. Lines that were written are written
  ///   again with the next attempt, under the same ids.
  package func deliver(_ events: [AnalyticsDelivery]) throws {
    let lines = events.map { delivery in
      var line = Array(#"{"id":""#.utf8)
      line.append(contentsOf: delivery.id.uuidString.utf8)
      line.append(contentsOf: #"","time":""#.utf8)
      line += (Timestamp.text(microseconds: Int(delivery.time)) ?? "").utf8
      line.append(contentsOf: #"","event":"#.utf8)
      LogRecordLine.appendString(delivery.event.name, to: &line)
      line.append(contentsOf: #","properties":"#.utf8)
      LogRecordLine.append(delivery.event.properties, to: &line)
      line.append(contentsOf: "}\n".utf8)
      return line[...]
    }
    let lost = file.withLock { $0.append(lines, sync: false) }
    if lost > 0 { throw Failure(lost: lost) }
  }
}
