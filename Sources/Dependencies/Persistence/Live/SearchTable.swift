extension LivePersistenceService {
  /// Moves a text to the front of its scope, and removes the oldest beyond the limit. Does not wait
  /// for the disk, so a power failure may lose the newest searches.
  public func addSearch(_ text: String, scope: String, at time: Int64)
    async throws(PersistenceError)
  {
    if let deferred {
      deferred.searches.add { waiting, _ in
        waiting.add(SearchBatch.Search(text: text, scope: scope, time: time))
      }
      return try deferred.searches.throwFailure()
    }
    let limit = limits.searches
    try await main.write("addSearch", .brief, durability: .normal) {
      (connection) throws(PersistenceError) in
      try SearchTable.add(text, scope: scope, at: time, connection)
      try SearchTable.trim(scope, limit: limit, connection)
    }
  }

  /// Returns the searches, the last added one first, even if the clock was set back in between.
  public func searches(scope: String, containing text: String?) async throws(PersistenceError)
    -> [RecentSearch]
  {
    await deferred?.searches.flush()
    let searches = try await main.read("searches", whenMissing: []) {
      (connection) throws(PersistenceError) -> [RecentSearch] in
      let statement = try connection.statement(
        "SELECT text, at FROM recent_searches WHERE scope = ? ORDER BY sequence DESC", scope)
      var searches: [RecentSearch] = []
      try statement.forEachRow { (row) throws(PersistenceError) in
        searches.append(RecentSearch(text: row.text(0), at: row.integer(1)))
      }
      return searches
    }
    return searches.containing(text)
  }

  /// Removes searches. They are also erased from the disk: deleted cells are overwritten, and the
  /// log that still contains them is emptied. If another program reads for longer than five
  /// seconds, the log is left, and `takeWarning()` says so.
  public func removeSearches(_ text: String?, scope: String) async throws(PersistenceError) -> Int {
    await deferred?.searches.flush()
    // Where nothing is removed, no reader has to be waited for, unless something was left before.
    return try await erase(
      "removeSearches", in: main, isSkippable: !main.leavesRemovedContent
    ) { (connection) throws(PersistenceError) in
      try SearchTable.remove(text, scope: scope, connection)
    }
  }
}

/// The table `recent_searches`.
enum SearchTable {
  /// Moves a text to the front of its scope, by the index of the texts.
  static func add(
    _ text: String, scope: String, at time: Int64, _ connection: SQLiteConnection
  ) throws(PersistenceError) {
    try remove(text, scope: scope, connection)
    try connection.run(
      """
      INSERT INTO recent_searches (sequence, scope, text, at)
      SELECT ifnull(max(sequence), 0) + 1, ?, ?, ? FROM recent_searches
      """, scope, text, time)
  }

  /// Removes the oldest searches of a scope beyond the limit. O(limit), so call it once after
  /// several were added.
  static func trim(
    _ scope: String, limit: Int, _ connection: SQLiteConnection
  ) throws(PersistenceError) {
    try connection.run(
      """
      DELETE FROM recent_searches WHERE scope = ?1 AND sequence <= (
        SELECT sequence FROM recent_searches WHERE scope = ?1
        ORDER BY sequence DESC LIMIT 1 OFFSET ?2)
      """, scope, limit)
  }

  @discardableResult
  static func remove(_ text: String?, scope: String, _ connection: SQLiteConnection)
    throws(PersistenceError) -> Int
  {
    let statement = try connection.statement(
      text == nil
        ? "DELETE FROM recent_searches WHERE scope = ?"
        : "DELETE FROM recent_searches WHERE scope = ? AND text = ?", scope)
    if let text { statement.bind(2, text) }
    try statement.run()
    return connection.changes
  }
}

extension [RecentSearch] {
  /// Returns the searches that contain the text, ignoring case. `nil` and the empty text match all.
  func containing(_ text: String?) -> [RecentSearch] {
    guard let text = text?.lowercased(), !text.isEmpty else { return self }
    return filter { $0.text.lowercased().contains(text) }
  }
}
