extension Dependencies {
  /// Sends the program behind a service a request that requires the key.
  ///
  /// - Parameters:
  ///   - preset: The kind of the service.
  ///   - timeout: The time limit of the request in milliseconds, or `nil` for the default.
  /// - Throws: `ProgramError`, which tells a wrong key, a wrong program and a wrong address apart.
  package func status(
    of preset: ServicePreset, at service: APIService, timeout: Int64?
  ) async throws -> ProgramStatus {
    switch preset.program {
    case .media(let program):
      try await mediaService.status(of: MediaServer(program, service, timeout: timeout))
    case .downloads(let program):
      try await downloadService.status(of: DownloadServer(program, service, timeout: timeout))
    case .characters: try await charactersStatus(of: preset, at: service, timeout)
    }
  }

  /// Such an API says no version: its first page tells it.
  private func charactersStatus(
    of preset: ServicePreset, at service: APIService, _ timeout: Int64?
  ) async throws -> ProgramStatus {
    let connection = ProgramConnection(
      dependencies: self, program: preset.title, service: service, timeout: timeout)
    do throws(ProgramError) {
      try connection.checkCharacters(try await connection.send(.init(path: "/character")))
    } catch { throw await connection.naming(error) }
    return ProgramStatus(program: connection.program, version: "")
  }
}

extension ProgramConnection {
  /// Refuses what is no page of characters.
  fileprivate func checkCharacters(_ response: APIResponse) throws(ProgramError) {
    let isRefused = response.status == 401 || response.status == 403
    // The words of a refusal are those of other programs too.
    if isRefused, let key = service.authentication {
      throw error(.wrongKey(secret: key.secret), in: response)
    }
    if let stranger = stranger(in: response) { throw stranger }
    if isRefused { throw error(.wrongKey(secret: nil), in: response) }
    guard (200..<300).contains(response.status) else {
      throw response.status >= 400 && ![404, 405].contains(response.status)
        ? error(.status(response.status), in: response) : misplaced(response)
    }
    guard let page = Self.parsed(response.body), page["info"]?["pages"] != nil,
      page["results"] != nil
    else { throw error(.wrongProgram(found: nil), in: response) }
  }
}
