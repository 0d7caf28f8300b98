import SwiftBoardJSON
import SwiftBoardSystem

extension ProgramConnection {
  /// The JSON of an answer of 2xx.
  ///
  /// - Throws: `undecodable` if it is not JSON.
  func json(_ response: APIResponse) throws(ProgramError) -> JSON {
    guard let json = Self.parsed(response.body) else {
      throw error(.undecodable(path: ""), in: response)
    }
    return json
  }

  /// The JSON of a body; `nil` for a page, or anything else. It has at most 400 levels, because a
  /// line of a recording, which has an item within an action, has at most 512.
  static func parsed(_ body: Data) -> JSON? {
    guard let text = String(validating: body, as: UTF8.self) else { return nil }
    return try? JSON(parsing: text, limits: JSONLimits(depth: 400))
  }

  /// Returns the names of the programs that may have sent the response. Empty if it is unknown.
  ///
  /// SABnzbd writes text or nothing but its version, NZBGet names itself in its challenge, and the
  /// others have a header or the text of a refusal in common. A page has the name in its title.
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
    if let title = title(of: response) {
      let all = media + DownloadProgram.allCases.map(\.title)
      if let name = all.first(where: title.contains) { return [name] }
    }
    let json = parsed(response.body)
    if let members = json?.members, members.count == 1, members[0].key == "version",
      members[0].value.stringValue?.first?.isNumber == true
    {
      return [DownloadProgram.sabnzbd.title]
    }
    let isRefusal = response.status == 401 && json == ["error": "Unauthorized"]
    return isRefusal || response.headers.value(of: "X-Application-Version") != nil ? media : []
  }

  /// Returns the error for a response from another program, or `nil` if the response does not
  /// identify it. A header that several programs send does not identify one.
  func stranger(in response: APIResponse) -> ProgramError? {
    let names = Self.programs(of: response)
    guard !names.isEmpty, !names.contains(program) else { return nil }
    return error(.wrongProgram(found: names.count == 1 ? names[0] : nil))
  }

  /// Returns the error for a response that does not come from the API: a redirect, a page or
  /// anything else, which after a change may be half of the API's own.
  func misplaced(_ response: APIResponse) -> ProgramError {
    if (300..<400).contains(response.status),
      let location = response.headers.value(of: "Location"),
      let asked = try? URLBuilder(response.url), let target = try? asked.resolving(location)
    {
      // Where the same is asked for elsewhere, the address there. The path and the query of a login
      // page may repeat the key, or have one of their own.
      let url = target.url.prefix { $0 != "?" }
      let path = response.url.prefix { $0 != "?" }.dropFirst(service.base.count)
      if !path.isEmpty, url.hasSuffix(path) {
        return error(.redirected(to: String(url.dropLast(path.count))), in: response)
      }
      return error(
        target.origin == asked.origin
          ? .redirectedWithin(origin: target.origin) : .redirected(to: target.origin), in: response)
    }
    if (200..<300).contains(response.status) {
      guard let title = Self.title(of: response) else {
        // Only a page of the program shows that a change has not reached its API.
        return error(isChanging ? .undecodable(path: "") : .wrongPath, in: response)
      }
      if !title.contains(program) { return error(.page(title: title), in: response) }
    }
    return error(.wrongPath, in: response)
  }

  /// The title of a page on one line, at most 100 characters; `nil` if it has none.
  private static func title(of response: APIResponse) -> String? {
    let text = String(decoding: response.body.prefix(4096), as: UTF8.self)
    guard text.first == "<", let start = text.firstRange(of: "<title>"),
      let end = text[start.upperBound...].firstRange(of: "</title>")
    else { return nil }
    let title = text[start.upperBound..<end.lowerBound].split(whereSeparator: \.isWhitespace)
    return title.isEmpty ? nil : String(title.joined(separator: " ").prefix(100))
  }

  /// Returns the error with the name of the program that responded. If the refusal does not
  /// identify it, sends up to two requests without the key: for a page, for the challenge of
  /// NZBGet, or for the version of SABnzbd.
  func naming(_ error: ProgramError) async -> ProgramError {
    switch error.kind {
    case .wrongPath, .redirected, .redirectedWithin, .page, .wrongKey, .refusedKey,
      .denied(reason: nil), .wrongProgram(found: nil):
      break
    default: return error
    }
    for path in probes {
      guard let request = try? probe(path),
        let response = try? await dependencies.apiClient.send(request)
      else { continue }
      if let stranger = stranger(in: response) { return stranger }
      if Self.programs(of: response) == [program] { return error }
    }
    guard case .wrongKey(let secret?) = error.kind,
      MediaProgram.allCases.map(\.title).contains(program)
    else { return error }
    // The refusals of Radarr's kind are all alike.
    var error = error
    error.kind = .refusedKey(secret: secret)
    return error
  }

  /// What is asked for behind the address without its last parts. Where NZBGet has its calls,
  /// Radarr's kind has the page that it has at every address.
  private var probes: [String] {
    ["/jsonrpc"]
      + (program == DownloadProgram.sabnzbd.title ? [] : ["/api?mode=version&output=json"])
  }

  private func probe(_ path: String) throws(APIError) -> APIRequest {
    var base = service.base[...]
    let ends = ["/api/v3", "/api/v1", "/api", "/jsonrpc", "/"]
    while let end = ends.first(where: { base.hasSuffix($0) }) { base = base.dropLast(end.count) }
    return try APIEndpoint(
      url: base + path, headers: [HTTPHeader("User-Agent", "swiftboard")],
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

  private func path(of name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// The error for a member that is missing or cannot be read.
  func undecodable(_ name: String) -> ProgramError {
    connection.error(.undecodable(path: self.path(of: name)))
  }

  func text(_ name: String) throws(ProgramError) -> String {
    guard let text = json[name]?.stringValue else { throw undecodable(name) }
    return text
  }

  func int(_ name: String) throws(ProgramError) -> Int {
    guard let number = json[name]?.intValue else { throw undecodable(name) }
    return number
  }

  /// The elements of an array.
  func elements(_ name: String) throws(ProgramError) -> [ProgramReader] {
    guard let elements = json[name]?.elements else { throw undecodable(name) }
    return elements.enumerated().map { index, json in
      ProgramReader(connection: connection, json: json, path: "\(self.path(of: name))[\(index)]")
    }
  }

  /// The elements of the array that this is.
  func elements() throws(ProgramError) -> [ProgramReader] {
    guard let elements = json.elements else {
      throw connection.error(.undecodable(path: path.isEmpty ? "[]" : path))
    }
    return elements.enumerated().map { index, json in
      ProgramReader(connection: connection, json: json, path: "\(path)[\(index)]")
    }
  }

  // MARK: Members that may be missing

  // A member that is missing, `null` or empty text has no value. One of another type is an error:
  // a size of 0 or a missing date in its place would be a value that the program did not send.

  /// A text, or `nil` if there is none.
  func optionalText(_ name: String) throws(ProgramError) -> String? {
    try optional(name, \.stringValue)
  }

  /// An integer, or `nil` if there is none.
  func optionalInt(_ name: String) throws(ProgramError) -> Int? { try optional(name, \.intValue) }

  /// A Boolean value, or `nil` if there is none.
  func optionalBool(_ name: String) throws(ProgramError) -> Bool? {
    try optional(name, \.boolValue)
  }

  /// A number, or text with one, as SABnzbd writes them; `nil` if there is none.
  func optionalNumber(_ name: String) throws(ProgramError) -> Double? {
    try optional(name) { value in
      let number = value.doubleValue ?? value.stringValue.flatMap { Double($0) }
      return number.flatMap { $0.isFinite ? $0 : nil }
    }
  }

  /// A number of bytes, rounded, or `nil` if there is none.
  ///
  /// - Parameter unit: The number of bytes of one.
  func optionalBytes(_ name: String, unit: Double = 1) throws(ProgramError) -> Int64? {
    guard let number = try optionalNumber(name) else { return nil }
    guard let bytes = Int64(exactly: (number * unit).rounded()) else { throw undecodable(name) }
    return bytes
  }

  /// Seconds since 1970 as microseconds, or `nil` if there are none.
  func optionalTime(_ name: String) throws(ProgramError) -> Int64? {
    guard let seconds = try optionalInt(name) else { return nil }
    let (time, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { throw undecodable(name) }
    return time
  }

  /// An object, or `nil` if there is none.
  func optionalObject(_ name: String) throws(ProgramError) -> ProgramReader? {
    try optional(name) { value in
      value.members.map { _ in
        ProgramReader(connection: connection, json: value, path: path(of: name))
      }
    }
  }

  private func optional<Value>(
    _ name: String, _ read: (JSON) -> Value?
  ) throws(ProgramError) -> Value? {
    guard let json = json[name], !json.isNull, json != "" else { return nil }
    guard let value = read(json) else { throw undecodable(name) }
    return value
  }
}
