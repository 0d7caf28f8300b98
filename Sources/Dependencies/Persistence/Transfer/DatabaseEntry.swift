import SwiftBoardJSON

/// A line of an export: `{"document":{"collection":…,"id":…,"updated":…,"body":…}}`,
/// `{"preference":{"name":…,"value":…}}`, `{"service":…}` or
/// `{"index":{"collection":…,"path":…}}`. The last line is `{"end":{"entries":…}}`, so that a file
/// that was cut short is recognized. Members that are not known here are refused: what they mean
/// would be lost.
///
/// A value in canonical form is JSON in the line. Any other value is a string, `text`, so that an
/// import restores the exported bytes.
enum DatabaseEntry {
  case document(Document)
  case preference(Preference)
  case service(APIService)
  case index(DocumentIndex)

  /// The first line of an export. Version 1 had no last line, and version 2 no indexes.
  static let header = #"{"swiftboard":"db export","version":\#(version)}"#

  /// The latest version of the format.
  static let version = 3

  /// The last line of an export.
  static func end(entries: Int) -> String { #"{"end":{"entries":\#(entries)}}"# }

  /// A key that is unique among the entries of a database.
  var key: String {
    if case .document(let document) = self {
      "\(document.collection.utf8.count) \(name)"
    } else {
      name
    }
  }

  /// The name of the entry in messages.
  var name: String {
    switch self {
    case .document(let document): "the document \(document.collection)/\(document.id)"
    case .preference(let preference): "the preference '\(preference.name)'"
    case .service(let service): "the service '\(service.name)'"
    case .index(let index): "the index of \(index.path) in \(index.collection)"
    }
  }

  /// Whether an import does not take the entry.
  var isLeftOut: Bool {
    if case .preference(let preference) = self { preference.staysHere } else { false }
  }

  // MARK: Writing

  func line() throws -> String {
    switch self {
    case .document(let document):
      let start: JSON = [
        "collection": .string(document.collection), "id": .string(document.id),
        "updated": .number(String(document.updated)),
      ]
      return Self.line("document", start, document.body, as: "body")
    case .preference(let preference):
      return Self.line(
        "preference", ["name": .string(preference.name)], preference.json, as: "value")
    case .service(let service):
      return
        #"{"service":\#(String(decoding: try CanonicalEncoder.encode(service), as: UTF8.self))}"#
    case .index(let index):
      let value: JSON = [
        "collection": .string(index.collection), "path": .string(index.path),
      ]
      return JSON.object([.init("index", value)]).text
    }
  }

  private static func line(_ kind: String, _ start: JSON, _ value: String, as name: String)
    -> String
  {
    // In the line it is two levels deeper than by itself.
    let limits = JSONLimits(duplicateKeys: .refuse, depth: JSONLimits.strict.depth - 2)
    let isUsual = (try? JSON(parsing: value, limits: limits))?.text == value
    return "{\"\(kind)\":" + start.text.dropLast()
      + (isUsual ? ",\"\(name)\":\(value)}}" : ",\"text\":\(JSON.string(value).text)}}")
  }

  // MARK: Reading

  /// - Throws: The error in the line.
  init(_ line: JSON) throws(DatabaseEntryError) {
    guard let member = line.members?.first, line.members?.count == 1 else {
      throw DatabaseEntryError("it is not a document, preference, service or index")
    }
    let value = member.value
    switch member.key {
    case "document":
      guard let collection = value["collection"]?.stringValue, let id = value["id"]?.stringValue,
        case .number(let time) = value["updated"]
      else { throw DatabaseEntryError("a document needs collection, id and updated") }
      for (what, text) in [("collection", collection), ("id", id)] {
        try Self.checkName(text, "the \(what) of the document")
      }
      guard let updated = value["updated"]?.intValue, Timestamp.range.contains(updated) else {
        throw DatabaseEntryError(
          "the time in 'updated', \(time), is not a number of microseconds in the years 0 to 9999")
      }
      try Self.refuseOthers(
        than: ["collection", "id", "updated", Self.bodyName(value, "body")], in: value)
      self = .document(
        Document(
          collection: collection, id: id, body: try Self.text(value, "body", .strict),
          updated: Int64(updated)))
    case "preference":
      guard let name = value["name"]?.stringValue else {
        throw DatabaseEntryError("a preference needs a name")
      }
      try Self.checkName(name, "the name of the preference")
      try Self.refuseOthers(than: ["name", Self.bodyName(value, "value")], in: value)
      self = .preference(Preference(name: name, json: try Self.text(value, "value", .default)))
    case "service":
      guard value["name"]?.stringValue != nil, value["baseURL"]?.stringValue != nil else {
        throw DatabaseEntryError("a service needs a name and an address (baseURL)")
      }
      let service: APIService
      let known: JSON
      do {
        service = try CanonicalDecoder.decode(APIService.self, from: Array(value.text.utf8))
        known = try JSON(parsing: CanonicalEncoder.encode(service))
      } catch {
        throw DatabaseEntryError(
          "this is not a service: its authentication or its preset has an unknown form")
      }
      guard ServiceName.isValid(service.name) else {
        throw DatabaseEntryError("'\(service.name)' is not a valid service name")
      }
      // An earlier version has added addresses that `problem(ofService:)` refuses. An export of
      // them is a copy of the database, and is restored as such.
      if let problem = ServiceAddress.problem(service.baseURL) {
        throw DatabaseEntryError("the service '\(service.name)': \(problem)")
      }
      try Self.refuseOthers(than: known, in: value)
      self = .service(service)
    case "index":
      guard let collection = value["collection"]?.stringValue,
        let path = value["path"]?.stringValue,
        (try? JSONPath(parsing: path)) != nil
      else { throw DatabaseEntryError("an index needs collection and the path of values") }
      for (what, text) in [("collection", collection), ("path", path)] {
        try Self.checkName(text, "the \(what) of the index")
      }
      try Self.refuseOthers(than: ["collection", "path"], in: value)
      self = .index(DocumentIndex(collection: collection, path: path))
    default: throw DatabaseEntryError("unknown kind of entry '\(member.key)'")
    }
  }

  /// Refuses a name with which no command could show or remove the entry.
  private static func checkName(_ name: String, _ what: String) throws(DatabaseEntryError) {
    guard !name.isEmpty else { throw DatabaseEntryError("\(what) is empty") }
    guard !name.utf8.contains(0) else {
      throw DatabaseEntryError("\(what) has the character U+0000, which no line can have")
    }
  }

  /// The name of the member with the body.
  private static func bodyName(_ value: JSON, _ name: String) -> String {
    value[name] == nil ? "text" : name
  }

  /// Refuses members that are not among the known ones.
  static func refuseOthers(than known: [String], in value: JSON) throws(DatabaseEntryError) {
    for member in value.members ?? [] where !known.contains(member.key) {
      throw DatabaseEntryError("this version does not know '\(member.key)' here")
    }
  }

  /// Throws if the value contains members, at any depth, that `known` does not contain. A member
  /// that is `null` is ignored.
  private static func refuseOthers(than known: JSON, in value: JSON) throws(DatabaseEntryError) {
    for member in value.members ?? [] where !member.value.isNull {
      guard let other = known[member.key] else {
        throw DatabaseEntryError("this version does not know '\(member.key)' here")
      }
      try refuseOthers(than: other, in: member.value)
    }
  }

  /// - Parameter limits: Those of the database: a preference may repeat a key, a document may not.
  private static func text(
    _ value: JSON, _ name: String, _ limits: JSONLimits
  ) throws(DatabaseEntryError) -> String {
    if let json = value[name] { return json.text }
    guard let text = value["text"]?.stringValue else {
      throw DatabaseEntryError("it has neither '\(name)' nor 'text'")
    }
    do throws(JSONError) { try JSON.validate(text, limits: limits) } catch {
      throw DatabaseEntryError("its text is not JSON: \(error.message)")
    }
    return text
  }
}

/// The reason why a line is not an entry.
struct DatabaseEntryError: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
