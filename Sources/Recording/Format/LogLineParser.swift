import SwiftBoardJSON
import SwiftBoardStore

/// Parses the bytes of a line whose sum has been verified. Does not consider other lines.
enum LogLineParser {
  /// Parses a line without its line feed.
  static func parse(_ line: ArraySlice<UInt8>) throws(LogReadError) -> LogLine {
    if let step = StepScanner.step(line.dropLast(HashChain.tailLength)) { return .step(step) }
    return try parseTree(line)
  }

  /// Parses any line, by building its JSON tree.
  static func parseTree(_ line: ArraySlice<UInt8>) throws(LogReadError) -> LogLine {
    let value: JSON
    do {
      value = try parseStrictly(line)
    } catch {
      throw .fault(
        "the line is not a JSON object: \(error.message), at its byte \(error.offset)",
        expected: "one JSON object, no key twice, at most 512 levels deep",
        found: .words(LogLineParser.found(error.message)))
    }
    guard case .object(var members) = value else {
      throw .fault("the line is not a JSON object", expected: "an object", found: .value(value))
    }
    guard members.first?.key == "k", case .string(let kind)? = members.first?.value else {
      throw .fault(
        "the line does not begin with its kind", expected: #"{"k":"...""#,
        found: members.first.map { .value($0.value, after: "\"\($0.key)\":") }
          ?? "an empty object")
    }
    members.removeFirst()
    // `HashChain.split` has found the sum at the end of the bytes, so it is the last member.
    if members.last?.key == "sum" { members.removeLast() }

    switch kind {
    case "log": return .header(try header(members))
    case "step": return .step(try step(members))
    case "issue":
      var reader = MemberReader(members, in: "issue")
      let n = try reader.count("n")
      let message = try reader.string("message")
      let file = try reader.string("file")
      let line = try reader.count("line")
      return .issue(LogIssue(n: n, message: message, file: file, line: line, extra: reader.rest))
    case "mark":
      var reader = MemberReader(members, in: "mark")
      let n = try reader.count("n")
      return .mark(LogMark(n: n, name: try reader.string("name"), extra: reader.rest))
    case "state":
      var reader = MemberReader(members, in: "state")
      let n = try reader.count("n")
      let state = try reader.required("state")
      let digest = try reader.digest()
      return .snapshot(LogSnapshot(n: n, state: state, digest: digest, extra: reader.rest))
    case "end":
      var reader = MemberReader(members, in: "end")
      let n = try reader.count("n")
      return .end(LogEnd(n: n, digest: try reader.digest(), extra: reader.rest))
    default: return .unknown(kind: kind, members)
    }
  }

  /// Returns what was found, without what was expected: `found X, expected Y` is `X`.
  private static func found(_ message: String) -> String {
    guard message.hasPrefix("found "), let end = message.firstRange(of: ", expected ") else {
      return message
    }
    return String(message[..<end.lowerBound].dropFirst("found ".count))
  }

  private static func header(_ members: [JSON.Member]) throws(LogReadError) -> LogHeader {
    var reader = MemberReader(members, in: "log")
    let version = try reader.count("version")
    guard version == 1 else {
      throw .fault(
        "the log has format version \(version); this program reads version 1",
        expected: "version 1", found: "version \(version)")
    }
    let program = try reader.string("program")
    let feature = try reader.string("feature")
    var schema = MemberReader(try object(reader.required("schema"), "log.schema"), in: "log.schema")
    let declared = LogSchema(
      program: program, feature: feature, name: try schema.string("name"),
      version: try schema.count("version"), parts: try parts(&schema))
    let created = try reader.string("created")
    guard let microseconds = Timestamp.microseconds(parsing: created) else {
      throw .fault(
        "log.created is not a time", expected: "a time such as 2026-11-20T22:45:00.000000Z",
        found: .value(.string(created)))
    }
    let environment = try reader.string("environment")
    let locale = try reader.string("locale")
    let timeZone = try reader.string("timeZone")
    let digits = try reader.string("seed")
    guard let seed = UInt64(digits), String(seed) == digits else {
      throw .fault(
        "log.seed is not a seed",
        expected: "a whole number of 64 bits without leading zeroes, as a string",
        found: .value(.string(digits)))
    }
    let state = try reader.required("state")
    let digest = try reader.digest()
    var digestEvery: Int?
    if reader.rest.contains(where: { $0.key == "digestEvery" }) {
      let every = try reader.count("digestEvery")
      guard every > 0 else {
        throw .fault("log.digestEvery is 0", expected: "a whole number from 1", found: "0")
      }
      digestEvery = every
    }
    var redacted: [String] = []
    for position in try reader.array("redacted") ?? [] {
      guard case .string(let text) = position else {
        throw .fault(
          "log.redacted has an element that is not a string", expected: "a string",
          found: .value(position))
      }
      redacted.append(text)
    }
    let minor = try reader.rest.contains { $0.key == "minor" } ? reader.count("minor") : 0
    return LogHeader(
      version: version, schema: declared, created: Int64(microseconds), environment: environment,
      locale: locale, timeZone: timeZone, seed: seed, state: state, digest: digest,
      digestEvery: digestEvery, redacted: redacted, minor: minor, extra: reader.rest)
  }

  private static func parts(_ schema: inout MemberReader) throws(LogReadError) -> [String: Int] {
    guard schema.rest.contains(where: { $0.key == "parts" }) else { return [:] }
    var parts: [String: Int] = [:]
    let members = try object(schema.required("parts"), "log.schema.parts")
    var reader = MemberReader(members, in: "log.schema.parts")
    for member in members { parts[member.key] = try reader.count(member.key) }
    return parts
  }

  private static func step(_ members: [JSON.Member]) throws(LogReadError) -> LogStep {
    var reader = MemberReader(members, in: "step")
    let n = try reader.count("n")
    let t = Int64(try reader.count("t"))
    let origin = try origin(reader.required("by"))
    let action = try reader.required("action")
    var draws: [LoggedDraw] = []
    for draw in try reader.filledArray("draws") ?? [] {
      guard case .array(let pair) = draw, pair.count == 2, case .string(let name) = pair[0],
        case .string(let value) = pair[1], let kind = LoggedDraw.Kind(rawValue: name)
      else {
        throw .fault(
          "step.draws has an element that is not a draw",
          expected: #"["date"|"clock"|"uuid"|"random","..."]"#, found: .value(draw))
      }
      draws.append(LoggedDraw(kind: kind, value: value))
    }
    let effects = try effects(reader.filledArray("effects") ?? [])
    let digest = try reader.optionalDigest()
    return LogStep(
      n: n, t: t, origin: origin, action: action, draws: draws, effects: effects, digest: digest,
      extra: reader.rest)
  }

  private static func origin(_ value: JSON) throws(LogReadError) -> StepOrigin {
    var reader = try MemberReader(value, in: "step.by")
    let senders = reader.rest.map(\.key).filter(["user", "effect", "link", "program"].contains)
    guard senders.count < 2 else {
      throw .fault(
        "step.by names several senders of the action",
        expected: "one of \"user\", \"effect\", \"link\" and \"program\"",
        found: .words(senders.map { "\"\($0)\"" }.joined(separator: " and ")))
    }
    if let line = try reader.optionalString("user") {
      return .user(line: line, at: try reader.string("at"))
    }
    if let name = try reader.optionalString("effect") {
      let id = try reader.optionalString("id")
      return .effect(name: name, id: id, step: try reader.count("step"))
    }
    if let link = try reader.optionalString("link") { return .link(link) }
    if let name = try reader.optionalString("program") { return .program(name) }
    throw .fault(
      "step.by does not name the sender of the action",
      expected: "\"user\", \"effect\", \"link\" or \"program\"", found: .value(value))
  }

  private static func effects(_ values: [JSON]) throws(LogReadError) -> [LogEffect] {
    var effects: [LogEffect] = []
    effects.reserveCapacity(values.count)
    for value in values {
      var reader = try MemberReader(value, in: "step.effects")
      let name = try reader.string("name")
      let ids = try ids(&reader)
      let kind = try reader.string("kind")
      // The parser has rejected values with more than 512 levels.
      let parts = try self.effects(reader.array("parts") ?? [])
      effects.append(LogEffect(name: name, ids: ids, kind: kind, parts: parts))
    }
    return effects
  }

  /// Returns the ids of an effect, from `id` or, if there are several, from `ids`.
  private static func ids(_ effect: inout MemberReader) throws(LogReadError) -> [String] {
    let id = try effect.optionalString("id")
    guard let values = try effect.array("ids") else { return id.map { [$0] } ?? [] }
    let ids = values.compactMap { value in if case .string(let id) = value { id } else { nil } }
    guard ids.count == values.count, ids.count > 1, ids.first == id else {
      throw .fault(
        "step.effects.ids are not the ids of an effect",
        expected: "an array of at least two strings, the first of which is step.effects.id",
        found: .value(.array(values)))
    }
    return ids
  }

  private static func object(_ value: JSON, _ position: String) throws(LogReadError) -> [JSON
    .Member]
  {
    guard case .object(let members) = value else {
      throw .fault("\(position) is not an object", expected: "an object", found: .value(value))
    }
    return members
  }
}
