extension PersistenceService where Self == MockPersistenceService {
  /// A new empty service.
  public static var mock: MockPersistenceService { MockPersistenceService() }

  /// A new service with sample data.
  ///
  /// It has three services (`sample` without a secret, `films` with a header that holds the secret
  /// `radarr`, `sab` with a query item that holds the secret `sabnzbd`), a few documents in
  /// `characters` and `notes`, the preference `greeting` and two recent searches. Its times are
  /// fixed.
  public static var preview: MockPersistenceService {
    var content = MockPersistenceService.Content()
    let time: Int64 = 1_700_000_000_000_000
    let services = [
      APIService(name: "sample", baseURL: "http://127.0.0.1:18110/api"),
      APIService(
        name: "films", baseURL: "http://127.0.0.1:18110/radarr/api/v3",
        authentication: .header(name: "X-Api-Key", secret: "radarr"), preset: "radarr"),
      APIService(
        name: "sab", baseURL: "http://127.0.0.1:18110/sabnzbd",
        authentication: .query(name: "apikey", secret: "sabnzbd"), preset: "sabnzbd"),
    ]
    for service in services { content.services[ByteText(service.name)] = service }
    let documents = [
      ("characters", "1", #"{"id":1,"name":"Rick Sanchez","status":"Alive","species":"Human"}"#),
      ("characters", "2", #"{"id":2,"name":"Morty Smith","status":"Alive","species":"Human"}"#),
      ("characters", "7", #"{"id":7,"name":"Abradolf Lincler","status":"unknown"}"#),
      ("notes", "welcome", #"{"title":"Welcome","tags":["sample"],"stars":5}"#),
    ]
    for (index, (collection, id, body)) in documents.enumerated() {
      content.documents[ByteText(collection), default: [:]][ByteText(id)] = Document(
        collection: collection, id: id, body: body, updated: time + Int64(index))
    }
    content.preferences[ByteText("greeting")] = #""hello""#
    content.searches[ByteText("characters")] = [
      RecentSearch(text: "name==morty", at: time),
      RecentSearch(text: "name==rick", at: time + 1_000_000),
    ]
    return MockPersistenceService(content)
  }
}
