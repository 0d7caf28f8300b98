import SwiftBoardJSON

/// A line of an export: `{"document":{"collection":…,"id":…,"updated":…,"body":…}}`,
/// `{"preference":{"name":…,"value":…}}` or `{"service":…}`. The last line is
/// `{"end":{"entries":…}}`, so that a file that was cut short is recognised.
///
/// A value that is written as it would be here is JSON in the line; any other is a string, `text`,
/// so that what is imported is what was exported, byte for byte.
enum DatabaseEntry {
  case document(Document)
  case preference(Preference)
  case service(APIService)

  /// The first line of an export. Version 1 had no last line.
  static let header = #"{"swiftboard":"db export","version":2}"#

  /// The last line of an export.
  static func end(entries: Int) -> String { #"{"end":{"entries":\#(entries)}}"# }

  /// No two entries of a database have the same.
  var key: String {
    if case .document(let document) = self {
      "\(document.collection.utf8.count) \(name)"
    } else {
      name
    }
  }

  /// What it is called in messages.
  var name: String {
    switch self {
    case .document(let document): "the document \(document.collection)/\(document.id)"
    case .preference(let preference): "the preference '\(preference.name)'"
    case .service(let service): "the service '\(service.name)'"
    }
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

  /// - Throws: What is wrong with the line.
  init(_ line: JSON) throws(DatabaseEntryError) {
    guard let member = line.members?.first, line.members?.count == 1 else {
      throw DatabaseEntryError("it is not a document, preference or service")
    }
    let value = member.value
    switch member.key {
    case "document":
      guard let collection = value["collection"]?.stringValue, let id = value["id"]?.stringValue,
        let updated = value["updated"]?.intValue
      else { throw DatabaseEntryError("a document needs collection, id and updated") }
      self = .document(
        Document(
          collection: collection, id: id, body: try Self.text(value, "body", .strict),
          updated: Int64(updated)))
    case "preference":
      guard let name = value["name"]?.stringValue else {
        throw DatabaseEntryError("a preference needs a name")
      }
      self = .preference(Preference(name: name, json: try Self.text(value, "value", .default)))
    case "service":
      let service: APIService
      do {
        service = try CanonicalDecoder.decode(APIService.self, from: Array(value.text.utf8))
      } catch {
        throw DatabaseEntryError("this is not a service: \(error)")
      }
      guard ServiceName.isValid(service.name) else {
        throw DatabaseEntryError("'\(service.name)' is not a valid service name")
      }
      if let problem = ServiceAddress.problem(service.baseURL) { throw DatabaseEntryError(problem) }
      self = .service(service)
    default: throw DatabaseEntryError("there is no kind of entry '\(member.key)'")
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

/// Why a line is no entry.
struct DatabaseEntryError: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
