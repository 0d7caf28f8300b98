extension LivePersistenceService {
  /// Stores a service in one transaction with one fsync.
  ///
  /// - Throws: `exists` if there is a service with its name and `replacing` is false.
  public func saveService(_ service: APIService, replacing: Bool) async throws(PersistenceError) {
    try await main.write("saveService", .brief) { (connection) throws(PersistenceError) in
      guard try ServiceTable.put(service, replaces: replacing, connection) else {
        throw PersistenceError.serviceExists(service.name, path: connection.path)
      }
    }
  }

  /// Returns a service and verifies its checksum.
  ///
  /// - Throws: `corrupted` if the checksum does not match.
  public func service(_ name: String) async throws(PersistenceError) -> APIService? {
    try await main.read("service", .brief, whenMissing: nil) {
      (connection) throws(PersistenceError) in
      let statement = try connection.statement(ServiceTable.select + " WHERE name = ?", name)
      return try statement.first { (row) throws(PersistenceError) in
        try ServiceTable.whole(row, connection)
      }
    }
  }

  /// Returns all services but those whose checksums do not match, which `damagedServices` returns.
  public func services() async throws(PersistenceError) -> [APIService] {
    try await main.read("services", whenMissing: []) { (connection) throws(PersistenceError) in
      var services: [APIService] = []
      try connection.statement(ServiceTable.select + " ORDER BY name").forEachRow {
        (row) throws(PersistenceError) in
        if let service = ServiceTable.read(row) { services.append(service) }
      }
      return services
    }
  }

  /// Returns the names of the services whose checksums do not match.
  public func damagedServices() async throws(PersistenceError) -> [String] {
    try await main.read("damagedServices", whenMissing: []) {
      (connection) throws(PersistenceError) in try ServiceTable.damaged(connection)
    }
  }

  /// Removes a service. Returns false if there is none. Takes one fsync in both cases.
  public func removeService(_ name: String) async throws(PersistenceError) -> Bool {
    try await main.write("removeService", .brief) { (connection) throws(PersistenceError) in
      try connection.run("DELETE FROM api_services WHERE name = ?", name)
      return connection.changes > 0
    }
  }
}

extension PersistenceError {
  static func serviceExists(_ name: String, path: String = "") -> PersistenceError {
    PersistenceError(
      .exists, path: path, operation: "saveService",
      message: "There is a service \(name) already.")
  }
}

/// The table `api_services`.
enum ServiceTable {
  static let select =
    "SELECT name, base_url, kind, field, secret, checksum, preset FROM api_services"

  private static let insertion = """
    INSERT INTO api_services (name, base_url, kind, field, secret, checksum, preset)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO
    """
  private static let upsert =
    insertion + " " + """
      UPDATE SET base_url = excluded.base_url, kind = excluded.kind,
      field = excluded.field, secret = excluded.secret, checksum = excluded.checksum,
      preset = excluded.preset
      """
  private static let insertIfAbsent = insertion + " NOTHING"

  /// Stores a service. Returns whether it did.
  ///
  /// - Parameter replaces: Whether the service replaces the one with its name, if there is one.
  static func put(
    _ service: APIService, replaces: Bool, _ connection: SQLiteConnection
  ) throws(PersistenceError) -> Bool {
    let (kind, field, secret) = columns(service.authentication)
    try connection.run(
      replaces ? upsert : insertIfAbsent, service.name, service.baseURL, kind, field, secret,
      checksum([service.name, service.baseURL, kind, field, secret], service.preset),
      service.preset)
    return connection.changes > 0
  }

  static func whole(_ row: SQLiteStatement, _ connection: SQLiteConnection)
    throws(PersistenceError) -> APIService
  {
    if let service = read(row) { return service }
    throw PersistenceError(unmatched: "the service \(row.text(0))", .service, connection)
  }

  static func damaged(_ connection: SQLiteConnection) throws(PersistenceError) -> [String] {
    var names: [String] = []
    try connection.statement(select + " ORDER BY name").forEachRow {
      (row) throws(PersistenceError) in
      if read(row) == nil { names.append(row.text(0)) }
    }
    return names
  }

  fileprivate static func read(_ row: SQLiteStatement) -> APIService? {
    let texts = [
      row.text(0), row.text(1), row.textIfPresent(2), row.textIfPresent(3), row.textIfPresent(4),
    ]
    let preset = row.textIfPresent(6)
    guard checksum(texts, preset) == row.integer(5) else { return nil }
    let authentication: APIService.Authentication?
    switch (texts[2], texts[3], texts[4]) {
    case (nil, _, _): authentication = nil
    case ("header", let name?, let secret?): authentication = .header(name: name, secret: secret)
    case ("query", let name?, let secret?): authentication = .query(name: name, secret: secret)
    case ("bearer", _, let secret?): authentication = .bearer(secret: secret)
    case ("basic", let user?, let secret?): authentication = .basic(user: user, secret: secret)
    case ("digest", let user?, let secret?): authentication = .digest(user: user, secret: secret)
    default: return nil
    }
    return APIService(
      name: row.text(0), baseURL: row.text(1), authentication: authentication, preset: preset)
  }

  private static func columns(_ authentication: APIService.Authentication?)
    -> (kind: String?, field: String?, secret: String?)
  {
    switch authentication {
    case nil: (nil, nil, nil)
    case .header(let name, let secret): ("header", name, secret)
    case .query(let name, let secret): ("query", name, secret)
    case .bearer(let secret): ("bearer", nil, secret)
    case .basic(let user, let secret): ("basic", user, secret)
    case .digest(let user, let secret): ("digest", user, secret)
    }
  }

  /// A service without a preset has the checksum that it had before there were presets.
  private static func checksum(_ texts: [String?], _ preset: String?) -> Int64 {
    var checksum = ContentChecksum()
    for text in texts { checksum.add(text) }
    if let preset { checksum.add(preset) }
    return checksum.value
  }
}
