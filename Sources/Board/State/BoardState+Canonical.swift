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
    if let compactsRawParts { writer.member("compactsRawParts", compactsRawParts) }
    writer.member("environment", environment.rawValue)
    writer.member("isASCII", isASCII)
    writer.member("isColored", isColored)
    writer.member("isOffline", isOffline)
    writer.member("isQuiet", isQuiet)
    if let isTerminal { writer.member("isTerminal", isTerminal) }
    writer.member("isVerbose", isVerbose)
    if let limitsPadding { writer.member("limitsPadding", limitsPadding) }
    if let measuresAnswers { writer.member("measuresAnswers", measuresAnswers) }
    writer.member("output", output.rawValue)
    if let remembersNull { writer.member("remembersNull", remembersNull) }
    if let reportsFailedWatches {
      writer.member("reportsFailedWatches", reportsFailedWatches)
    }
    if let setKeepsLast { writer.member("setKeepsLast", setKeepsLast) }
    if let timeout { writer.member("timeout", Int(timeout)) }
    if let width { writer.member("width", width) }
    writer.endObject()
  }
}

extension ShellState: CanonicalEncodable {
  /// Writes the same JSON as `encode(to:)`.
  public func encodeCanonical(to writer: inout CanonicalWriter) {
    writer.beginObject()
    writer.dictionary("aliases", aliases) { $1.string($0) }
    if let exitCode { writer.member("exitCode", Int(exitCode)) }
    writer.member("finished", finished) { $0.write(to: &$1) }
    writer.member("last", last) { $0.write(to: &$1) }
    writer.member("lastStatus", Int(lastStatus))
    writer.array("running", running) { $0.write(to: &$1) }
    if let tutorial { writer.member("tutorial", tutorial) }
    writer.array("unloaded", unloaded) { part, writer in
      writer.beginObject()
      writer.member("error", part.error)
      writer.member("feature", part.feature)
      writer.member("message", part.message)
      writer.endObject()
    }
    writer.dictionary("variables", variables) { $0.write(to: &$1) }
    writer.array("watches", watches) { $0.write(to: &$1) }
    writer.endObject()
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
    writer.member("context", context) { $0.write(to: &$1) }
    writer.member("found", found) { found, writer in
      writer.beginObject()
      writer.member("last", found.last) { $0.write(to: &$1) }
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
    writer.member("redirect", redirect) { redirect, writer in
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
    writer.member("changes", changes) { $0.encodeCanonical(to: &$1) }
    writer.member("position", position) { position, writer in
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

  /// Writes a member, unless it has no value.
  @inlinable
  package mutating func member<Value>(
    _ name: StaticString, _ value: Value?,
    _ write: (Value, inout CanonicalWriter) throws -> Void
  ) rethrows {
    guard let value else { return }
    key(name)
    try write(value, &self)
  }

  /// Writes an array as a member, unless there is none.
  @inlinable
  package mutating func array<Elements: Sequence>(
    _ name: StaticString, _ elements: Elements?,
    _ write: (Elements.Element, inout CanonicalWriter) throws -> Void
  ) rethrows {
    guard let elements else { return }
    key(name)
    beginArray()
    for element in elements { try write(element, &self) }
    endArray()
  }

  /// Writes a dictionary as a member, unless there is none.
  @inlinable
  package mutating func dictionary<Value>(
    _ name: StaticString, _ members: [String: Value]?,
    _ write: (Value, inout CanonicalWriter) throws -> Void
  ) rethrows {
    guard let members else { return }
    key(name)
    beginObject()
    for (name, value) in members {
      key(name)
      try write(value, &self)
    }
    endObject()
  }
}
