extension StoredEntries {
  /// The names of the entries, for the list of calls.
  var names: [String] { documents.map(\.name) + preferences.map(\.name) + services.map(\.name) }
}

extension MockPersistenceService.Content {
  func containsAny(of entries: StoredEntries) -> Bool {
    entries.documents.contains { documents[ByteText($0.collection)]?[ByteText($0.id)] != nil }
      || entries.preferences.contains { preferences[ByteText($0.name)] != nil }
      || entries.services.contains {
        services[ByteText($0.name)] != nil || damaged.contains(ByteText($0.name))
      }
  }

  /// Stores entries by the rule for names that are taken. Changes that were made before an error
  /// remain.
  mutating func put(
    _ entries: StoredEntries, _ existing: ImportDuplicates
  ) throws(PersistenceError) -> DatabaseImport {
    var insertion = EntryInsertion(existing)
    for document in entries.documents {
      let (collection, id) = (ByteText(document.collection), ByteText(document.id))
      let isTaken = documents[collection]?[id] != nil
      let isStored = try insertion.store(.document(document)) { $0 || !isTaken }
      if isStored { documents[collection, default: [:]][id] = document }
    }
    for preference in entries.preferences {
      let name = ByteText(preference.name)
      let isTaken = preferences[name] != nil
      let isStored = try insertion.store(.preference(preference)) { $0 || !isTaken }
      if isStored { preferences[name] = preference.json }
    }
    for service in entries.services {
      let name = ByteText(service.name)
      let isTaken = services[name] != nil || damaged.contains(name)
      let isStored = try insertion.store(.service(service)) { $0 || !isTaken }
      guard isStored else { continue }
      services[name] = service
      damaged.remove(name)
    }
    return insertion.counts
  }
}
