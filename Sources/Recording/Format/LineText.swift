import SwiftBoardJSON
import SwiftBoardStore

// The bodies of lines: everything before `,"sum"`, in the format's order of keys.

extension LogHeader {
  /// Appends the body of the header. `state` is canonical JSON.
  func appendBody(to bytes: inout [UInt8], state: ArraySlice<UInt8>) {
    bytes.append(#"{"k":"log","version":\#(version),"program":"#)
    appendQuoted(schema.program, to: &bytes)
    bytes.append(literal: #","feature":"#)
    appendQuoted(schema.feature, to: &bytes)
    bytes.append(literal: #","schema":{"name":"#)
    appendQuoted(schema.name, to: &bytes)
    bytes.append(#","version":\#(schema.version)"#)
    if !schema.parts.isEmpty {
      let parts = schema.parts.sorted { $0.key < $1.key }.map {
        JSON.Member($0.key, JSON($0.value))
      }
      bytes.append(#","parts":\#(JSON.object(parts).text)"#)
    }
    bytes.append(#"},"created":"#)
    appendQuoted(Timestamp.format(created), to: &bytes)
    for (key, value) in [
      ("environment", environment), ("locale", locale), ("timeZone", timeZone),
      ("seed", String(seed)),
    ] {
      bytes.append(#","\#(key)":"#)
      appendQuoted(value, to: &bytes)
    }
    bytes.append(literal: #","state":"#)
    bytes.append(contentsOf: state)
    bytes.append(digest)
    if let digestEvery { bytes.append(#","digestEvery":\#(digestEvery)"#) }
    bytes.append(literal: #","redacted":["#)
    for (index, position) in redacted.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      appendQuoted(position, to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
    if minor > 0 { bytes.append(#","minor":\#(minor)"#) }
    bytes.append(extra)
  }
}

extension LogStep {
  /// Appends the body of a step that unnamed code sent, up to its action. Most steps are of this
  /// kind, so it is appended as one text.
  @inline(__always)
  static func appendBareBody(
    to bytes: inout ByteBuffer, n: Int, t: Int64, action: UnsafeBufferPointer<UInt8>
  ) {
    bytes.append(longest: 128 &+ action.count) { line in
      appendBeginning(to: &line, n: n, t: t)
      line.put(#""program":""},"action":"#)
      line.put(action)
    }
  }

  static func appendBody(
    to bytes: inout ByteBuffer, n: Int, t: Int64, origin: StepOrigin,
    draws: [LoggedDraw], effects: [LogEffect], digest: Digest?,
    action: UnsafeBufferPointer<UInt8>
  ) {
    bytes.append(longest: 96) { appendBeginning(to: &$0, n: n, t: t) }
    switch origin {
    case .user(let line, let at):
      bytes.append(#""user":"#)
      bytes.append(quoted: OriginText.recorded(line))
      bytes.append(#","at":"#)
      bytes.append(quoted: at)
    case .effect(let name, let id, let step):
      bytes.append(#""effect":"#)
      bytes.append(quoted: name)
      if let id {
        bytes.append(#","id":"#)
        bytes.append(quoted: id)
      }
      bytes.append(#","step":"#)
      bytes.append(decimal: step)
    case .link(let link):
      bytes.append(#""link":"#)
      bytes.append(quoted: OriginText.recorded(link))
    case .program(let name):
      bytes.append(#""program":"#)
      bytes.append(quoted: name)
    }
    bytes.append(longest: 16 + action.count) { line in
      line.put(#"},"action":"#)
      line.put(action)
    }
    if !draws.isEmpty { append(draws, to: &bytes) }
    if !effects.isEmpty {
      bytes.append(#","effects":"#)
      append(effects, to: &bytes)
    }
    append(digest, to: &bytes)
  }

  @inline(__always)
  private static func appendBeginning(to line: inout UnsafeByteWriter, n: Int, t: Int64) {
    line.put(#"{"k":"step","n":"#)
    line.put(decimal: n)
    line.put(#","t":"#)
    line.put(decimal: Int(t))
    line.put(#","by":{"#)
  }

  @inline(__always)
  static func append(_ digest: Digest?, to bytes: inout ByteBuffer) {
    guard let digest else { return }
    bytes.append(#","digest":""#)
    bytes.append(digest)
    bytes.append("\"")
  }

  static func append(_ draws: [LoggedDraw], to bytes: inout ByteBuffer) {
    bytes.append(#","draws":["#)
    for (index, draw) in draws.enumerated() {
      bytes.append(index > 0 ? ",[" as StaticString : "[")
      bytes.append(quoted: draw.kind.rawValue)
      bytes.append(",")
      bytes.append(quoted: draw.value)
      bytes.append("]")
    }
    bytes.append("]")
  }

  private static func append(_ ids: [String], to bytes: inout ByteBuffer) {
    bytes.append(#","ids":"#)
    for (index, id) in ids.enumerated() {
      bytes.append(index > 0 ? "," as StaticString : "[")
      bytes.append(quoted: id)
    }
    bytes.append("]")
  }

  private static func append(_ effects: [LogEffect], to bytes: inout ByteBuffer) {
    bytes.append("[")
    for (index, effect) in effects.enumerated() {
      bytes.append(index > 0 ? #",{"name":"# as StaticString : #"{"name":"#)
      bytes.append(quoted: effect.name)
      if let id = effect.id {
        bytes.append(#","id":"#)
        bytes.append(quoted: id)
      }
      if effect.ids.count > 1 { append(effect.ids, to: &bytes) }
      bytes.append(#","kind":"#)
      bytes.append(quoted: effect.kind)
      if !effect.parts.isEmpty {
        bytes.append(#","parts":"#)
        append(effect.parts, to: &bytes)
      }
      bytes.append("}")
    }
    bytes.append("]")
  }
}

extension LogIssue {
  func appendBody(to bytes: inout [UInt8]) {
    bytes.append(#"{"k":"issue","n":\#(n),"message":"#)
    appendQuoted(message, to: &bytes)
    bytes.append(literal: #","file":"#)
    appendQuoted(file, to: &bytes)
    bytes.append(#","line":\#(line)"#)
    bytes.append(extra)
  }
}

extension LogMark {
  func appendBody(to bytes: inout [UInt8]) {
    bytes.append(#"{"k":"mark","n":\#(n),"name":"#)
    appendQuoted(name, to: &bytes)
    bytes.append(extra)
  }
}

extension LogSnapshot {
  static func appendBody(to bytes: inout [UInt8], n: Int, digest: Digest, state: ArraySlice<UInt8>)
  {
    bytes.append(#"{"k":"state","n":\#(n),"state":"#)
    bytes.append(contentsOf: state)
    bytes.append(digest)
  }
}

extension LogEnd {
  var body: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(#"{"k":"end","n":\#(n)"#)
    bytes.append(digest)
    bytes.append(extra)
    return bytes
  }
}

extension [UInt8] {
  mutating func append(_ text: String) {
    append(contentsOf: text.utf8)
  }

  mutating func append(literal text: StaticString) {
    text.withUTF8Buffer { append(contentsOf: $0) }
  }

  mutating func append(_ digest: Digest) {
    append(literal: #","digest":""#)
    digest.append(to: &self)
    append(UInt8(ascii: "\""))
  }

  mutating func append(_ members: [JSON.Member]) {
    for member in members {
      append(UInt8(ascii: ","))
      appendQuoted(member.key, to: &self)
      append(UInt8(ascii: ":"))
      append(contentsOf: canonical(member.value))
    }
  }
}
