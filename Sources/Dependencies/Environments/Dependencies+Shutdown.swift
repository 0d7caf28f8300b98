import Dispatch

extension Dependencies {
  /// Lets what waits reach files and providers, then closes the database. Call it at the end of a
  /// program that used `live`; a later call of a service opens what it needs again. For the other
  /// environments there is nothing to do.
  ///
  /// - Parameter duration: The most that log and analytics are waited for, each.
  /// - Returns: False when something was left behind.
  @discardableResult
  public func shutDown(within duration: Duration = .seconds(2)) async -> Bool {
    let logger = logger as? LiveLogger
    let analytics = analytics as? LiveAnalytics
    // Flushing blocks, and the log's database needs the pool: so it is done outside the pool.
    let flushed = await withCheckedContinuation { continuation in
      DispatchQueue(label: "swiftboard.shutdown").async {
        let logged = logger?.flush(within: duration) ?? true
        let counted = analytics?.flush(within: duration) ?? true
        continuation.resume(returning: logged && counted)
      }
    }
    if let keychain = (keychainService as? RedactingKeychain)?.base as? LiveKeychainService {
      await keychain.close()
    }
    guard let persistence = persistence as? LivePersistenceService else { return flushed }
    do {
      try await persistence.close()
      return flushed
    } catch {
      return false
    }
  }
}
