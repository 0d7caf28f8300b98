import SwiftBoardCommandLine
import SwiftBoardJSON

// Each step of a recording computes a digest of the board's state. This manual encoding takes a
// tenth of the time of `Codable` and writes the same JSON, with keys in ascending order.
// `BoardState` itself uses `Codable`, and so does a feature's state that does not conform to
// `CanonicalEncodable`, which is slower.

extension BoardSettings: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let checksLessons { writer.member("checksLessons", checksLessons) }
    writer.member("checksStatus", checksStatus)
    writer.member("environment", environment.rawValue)
    writer.member("isASCII", isASCII)
    writer.member("isColored", isColored)
    writer.member("isOffline", isOffline)
    writer.member("isQuiet", isQuiet)
    if let isTerminal { writer.member("isTerminal", isTerminal) }
    writer.member("isVerbose", isVerbose)
    if let measuresAnswers { writer.member("measuresAnswers", measuresAnswers) }
    writer.member("output", output.rawValue)
    if let remembersNull { writer.member("remembersNull", remembersNull) }
    if let timeout { writer.member("timeout", Int(timeout)) }
    if let width { writer.member("width", width) }
    writer.endObject()
  }
}

extension ShellState: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let aliases {
      writer.key("aliases")
      writer.write(aliases)
    }
    if let exitCode { writer.member("exitCode", Int(exitCode)) }
    if let finished {
      writer.key("finished")
      finished.write(to: &writer)
    }
    if let last {
      writer.key("last")
      last.write(to: &writer)
    }
    writer.member("lastStatus", Int(lastStatus))
    writer.key("running")
    writer.beginArray()
    for context in running { context.write(to: &writer) }
    writer.endArray()
    if let tutorial { writer.member("tutorial", tutorial) }
    if let unloaded {
      writer.key("unloaded")
      writer.beginArray()
      for part in unloaded {
        writer.beginObject()
        writer.member("error", part.error)
        writer.member("feature", part.feature)
        writer.member("message", part.message)
        writer.endObject()
      }
      writer.endArray()
    }
    writer.key("variables")
    writer.beginObject()
    for (name, value) in variables {
      writer.key(name)
      value.write(to: &writer)
    }
    writer.endObject()
    if let watches {
      writer.key("watches")
      writer.beginArray()
      for watch in watches { watch.write(to: &writer) }
      writer.endArray()
    }
    writer.endObject()
  }
}

extension CanonicalWriter {
  fileprivate mutating func write(_ texts: [String: String]) {
    beginObject()
    for (name, value) in texts {
      key(name)
      string(value)
    }
    endObject()
  }
}

extension RepeatedCommand {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    writer.member("interval", Int(interval))
    writer.member("isDue", isDue)
    writer.member("job", job)
    if let left { writer.member("left", left) }
    writer.endObject()
  }
}

extension FinishedJob {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    writer.key("context")
    context.write(to: &writer)
    if let found {
      writer.key("found")
      writer.beginObject()
      if let last = found.last {
        writer.key("last")
        last.write(to: &writer)
      }
      writer.member("lastStatus", Int(found.lastStatus))
      writer.endObject()
    }
    writer.member("status", Int(status))
    writer.endObject()
  }
}

extension CommandContext {
  fileprivate func write(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let checksStatus { writer.member("checksStatus", checksStatus) }
    if let color { writer.member("color", color.rawValue) }
    if let isASCII { writer.member("isASCII", isASCII) }
    writer.member("isBackground", isBackground)
    if let isQuiet { writer.member("isQuiet", isQuiet) }
    if let isSourced { writer.member("isSourced", isSourced) }
    if let isVerbose { writer.member("isVerbose", isVerbose) }
    writer.member("job", job)
    writer.member("line", line)
    writer.member("name", name)
    if let output { writer.member("output", output.rawValue) }
    if let parts { writer.member("parts", parts) }
    if let prefix { writer.member("prefix", prefix.rawValue) }
    if let redirect {
      writer.key("redirect")
      writer.beginObject()
      writer.member("appends", redirect.appends)
      writer.member("file", redirect.file)
      writer.endObject()
    }
    if let round { writer.member("round", round) }
    if let source { writer.member("source", source) }
    writer.member("text", text)
    if let timeout { writer.member("timeout", Int(timeout)) }
    if let usesPager { writer.member("usesPager", usesPager) }
    writer.endObject()
  }
}

extension SessionState: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginObject()
    if let changes {
      writer.key("changes")
      changes.encodeCanonical(to: &writer)
    }
    if let position {
      writer.key("position")
      writer.beginObject()
      writer.member("last", position.last)
      writer.member("step", position.step)
      writer.endObject()
    }
    if let recording { writer.member("recording", recording) }
    writer.endObject()
  }
}

extension CanonicalWriter {
  package mutating func member(_ name: StaticString, _ value: String) {
    key(name)
    string(value)
  }

  package mutating func member(_ name: StaticString, _ value: Int) {
    key(name)
    int(value)
  }

  package mutating func member(_ name: StaticString, _ value: Bool) {
    key(name)
    bool(value)
  }
}
