extension Dependencies {
  /// Asks the program behind a service for something that needs the key.
  ///
  /// - Parameters:
  ///   - program: The name of a `MediaProgram` or `DownloadProgram`, or of any other program, of
  ///     which the first page of characters is asked for.
  ///   - timeout: Milliseconds for the request; `nil`: the usual time.
  /// - Throws: `ProgramError`, which tells a wrong key, a wrong program and a wrong address apart.
  package func status(
    of program: String, at service: APIService, timeout: Int64?
  ) async throws -> ProgramStatus {
    if let program = MediaProgram(rawValue: program) {
      return try await mediaService.status(of: MediaServer(program, service, timeout: timeout))
    }
    if let program = DownloadProgram(rawValue: program) {
      return try await downloadService.status(
        of: DownloadServer(program, service, timeout: timeout))
    }
    return try await charactersStatus(of: service, timeout)
  }

  /// The Rick and Morty API has neither a key nor a version: its first page tells it.
  private func charactersStatus(
    of service: APIService, _ timeout: Int64?
  ) async throws -> ProgramStatus {
    var service = service
    service.authentication = nil
    let connection = ProgramConnection(
      dependencies: self, program: "the Rick and Morty API", service: service, timeout: timeout)
    do throws(ProgramError) {
      try connection.checkCharacters(try await connection.send(.init(path: "/character")))
    } catch { throw await connection.naming(error) }
    return ProgramStatus(program: connection.program, version: "")
  }
}

extension ProgramConnection {
  /// Refuses what is no page of characters.
  fileprivate func checkCharacters(_ response: APIResponse) throws(ProgramError) {
    if let stranger = stranger(in: response) { throw stranger }
    guard (200..<300).contains(response.status) else {
      throw error(response.status >= 500 ? .status(response.status) : .wrongPath)
    }
    guard let page = Self.parsed(response.body), page["info"]?["pages"] != nil,
      page["results"] != nil
    else { throw error(.wrongProgram(found: nil)) }
  }
}
