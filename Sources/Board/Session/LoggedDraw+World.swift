import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardRecording

// Recordings and dependencies do not know each other. This extension converts between their draws.

extension LoggedDraw.Kind {
  init(_ kind: Draw.Kind) {
    self =
      switch kind {
      case .date: .date
      case .clock: .clock
      case .uuid: .uuid
      case .random: .random
      }
  }
}

extension LoggedDraw {
  init(_ draw: Draw) {
    self =
      switch draw {
      case .date(let value): LoggedDraw(kind: .date, value: Timestamp.format(value))
      case .clock(let value): .clock(microseconds: value)
      case .uuid(let value): .uuid(value.uuidString)
      case .random(let value): .random(value)
      }
  }
}

extension Draw {
  /// Creates a draw. Returns `nil` if the text is not of the draw's kind.
  init?(_ logged: LoggedDraw) {
    switch logged.kind {
    case .date:
      guard let value = Timestamp.microseconds(parsing: logged.value) else { return nil }
      self = .date(Int64(value))
    case .clock:
      guard let value = Int64(logged.value) else { return nil }
      self = .clock(value)
    case .uuid:
      guard let value = UUID(uuidString: logged.value) else { return nil }
      self = .uuid(value)
    case .random:
      guard let value = UInt64(logged.value) else { return nil }
      self = .random(value)
    }
  }
}
