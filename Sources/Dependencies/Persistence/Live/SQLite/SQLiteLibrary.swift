import CSQLite

/// The settings of SQLite that apply to the whole process.
package enum SQLiteLibrary {
  /// Turns off SQLite's count of the memory that it uses. For it, SQLite locks a mutex at each
  /// allocation, which is 5 % of a query that reads many rows.
  ///
  /// Only a program can decide this for all of its code. Call it before SQLite is used. Afterwards
  /// it has no effect.
  package static func disableMemoryStatistics() { _ = csqlite_disable_memory_statistics() }
}
