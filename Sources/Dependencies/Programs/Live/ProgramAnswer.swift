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

  /// The names of the programs that an answer may come from; none if it does not tell.
  ///
  /// SABnzbd writes text, NZBGet names itself in its challenge, and the others have a header in
  /// common. A page has the name in its title.
  static func programs(of response: APIResponse) -> [String] {
    if response.headers.value(of: "WWW-Authenticate")?.contains("NZBGet") == true {
      return [DownloadProgram.nzbget.title]
    }
    let text = String(decoding: response.body.prefix(4096), as: UTF8.self)
    if text.prefix(100).contains("API Key Incorrect")
      || text.prefix(100).contains("API Key Required")
    {
      return [DownloadProgram.sabnzbd.title]
    }
    let media = MediaProgram.allCases.map(\.title)
    if text.first == "<", let start = text.firstRange(of: "<title>"),
      let end = text.firstRange(of: "</title>"),
      start.upperBound <= end.lowerBound
    {
      let title = text[start.upperBound..<end.lowerBound]
      let all = media + DownloadProgram.allCases.map(\.title)
      if let name = all.first(where: title.contains) { return [name] }
    }
    return response.headers.value(of: "X-Application-Version") == nil ? [] : media
  }

  /// The error for an answer that comes from another program, if it tells. A header that several
  /// programs send does not name the one.
  func stranger(in response: APIResponse) -> ProgramError? {
    let names = Self.programs(of: response)
    guard !names.isEmpty, !names.contains(program) else { return nil }
    return error(.wrongProgram(found: names.count == 1 ? names[0] : nil))
  }

  /// An error with the name of the program that answers in place of the one that should. Where the
  /// refusal does not tell, the page of the program does, which needs no key.
  func naming(_ error: ProgramError) async -> ProgramError {
    switch error.kind {
    case .wrongPath, .wrongKey, .wrongProgram(found: nil): break
    default: return error
    }
    guard let page = try? pageRequest(),
      let response = try? await dependencies.apiClient.send(page)
    else { return error }
    return stranger(in: response) ?? error
  }

  /// Asks for the page in front of the API.
  private func pageRequest() throws(APIError) -> APIRequest {
    let ends = ["/api/v3", "/api/v1", "/api", "/jsonrpc"]
    let address = service.baseURL
    let base =
      ends.first { address.hasSuffix($0) }.map { address.dropLast($0.count) } ?? address[...]
    return try APIEndpoint(
      url: base + "/", headers: [HTTPHeader("User-Agent", "swiftboard")],
      timeout: .milliseconds(timeout ?? 30_000), redirectLimit: 3
    ).request()
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
