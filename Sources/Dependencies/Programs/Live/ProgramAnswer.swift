import SwiftBoardJSON
import SwiftBoardSystem

extension ProgramConnection {
  /// The JSON of an answer of 2xx.
  ///
  /// - Throws: `undecodable` if it is not JSON.
  func json(_ response: APIResponse) throws(ProgramError) -> JSON {
    guard let json = Self.parsed(response.body) else { throw error(.undecodable(path: "")) }
    return json
  }

  /// The JSON of a body; `nil` for a page, or anything else.
  static func parsed(_ body: Data) -> JSON? {
    guard let text = String(validating: body, as: UTF8.self) else { return nil }
    return try? JSON(parsing: text)
  }

  /// The name of the program that answers with a refusal, if the refusal tells.
  ///
  /// SABnzbd writes text, and NZBGet names itself in its challenge.
  static func stranger(_ response: APIResponse) -> String? {
    if response.headers.value(of: "WWW-Authenticate")?.contains("NZBGet") == true {
      return DownloadProgram.nzbget.title
    }
    let text = String(decoding: response.body.prefix(100), as: UTF8.self)
    if text.contains("API Key Incorrect") || text.contains("API Key Required") {
      return DownloadProgram.sabnzbd.title
    }
    return nil
  }
}

/// Reads the members of an object, with an error that names the member at fault.
struct ProgramReader {
  let connection: ProgramConnection
  let json: JSON
  /// Where the object is, for errors.
  var path = ""

  private func missing(_ name: String) -> ProgramError {
    connection.error(.undecodable(path: path.isEmpty ? name : "\(path).\(name)"))
  }

  func text(_ name: String) throws(ProgramError) -> String {
    guard let text = json[name]?.stringValue else { throw missing(name) }
    return text
  }

  func int(_ name: String) throws(ProgramError) -> Int {
    guard let number = json[name]?.intValue else { throw missing(name) }
    return number
  }

  /// The elements of an array.
  func elements(_ name: String) throws(ProgramError) -> [ProgramReader] {
    guard let elements = json[name]?.elements else { throw missing(name) }
    return elements.enumerated().map { index, json in
      ProgramReader(connection: connection, json: json, path: "\(name)[\(index)]")
    }
  }

  /// The elements of the array that this is.
  func elements() throws(ProgramError) -> [ProgramReader] {
    guard let elements = json.elements else {
      throw connection.error(.undecodable(path: path))
    }
    return elements.enumerated().map { index, json in
      ProgramReader(connection: connection, json: json, path: "\(path)[\(index)]")
    }
  }

  /// A number, or text with one, as SABnzbd writes them.
  func number(_ name: String) -> Double? {
    json[name]?.doubleValue ?? json[name]?.stringValue.flatMap { Double($0) }
  }
}
