extension APIRequest {
  /// Adds the name of a secret at the position that the service requires. `ResolvingAPIClient`
  /// replaces the name by the value. Call this when the headers are complete.
  ///
  /// - Throws: `APIError` if the URL is invalid.
  mutating func authenticate(_ authentication: APIService.Authentication) throws(APIError) {
    func secret(_ before: String, _ form: SecretText.Form) -> SecretText {
      SecretText(parts: [.text(before), .secret(name: authentication.secret, form: form)])
    }
    switch authentication {
    case .header(let name, _): addSecretHeader(name, secret("", .plain))
    case .query(let name, _): try append([(name, secret("", .percentEncoded))])
    case .bearer: addSecretHeader("Authorization", secret("Bearer ", .plain))
    case .basic(let user, _): addSecretHeader("Authorization", secret("Basic ", .basic(user: user)))
    case .digest(let user, let secret):
      edit { $0.digest = APIReferences.Digest(user: user, secret: secret) }
    }
  }

  /// Adds items with percent-encoded values to the query. The displayed URL contains the names of
  /// the secrets.
  ///
  /// - Throws: `APIError` if the URL is invalid.
  mutating func append(_ items: [(name: String, value: SecretText)]) throws(APIError) {
    guard !items.isEmpty else { return }
    var parts = references?.url?.parts ?? [.text(url)]
    var separator = url.contains("?") ? "&" : "?"
    for item in items {
      parts.append(.text("\(separator)\(PercentEncoding.encoded(item.name))="))
      parts += item.value.parts
      separator = "&"
    }
    let shown = items.map { QueryItem($0.name, $0.value.marked) }
    url = try URLBuilder(url).appending(query: shown).url
    edit { $0.url = SecretText(parts: parts) }
  }

  private mutating func addSecretHeader(_ name: String, _ value: SecretText) {
    edit { [index = headers.count] in $0.headers[index] = value }
    headers.append(HTTPHeader(name, ""))
    secretHeaders.insert(name)
  }

  private mutating func edit(_ change: (inout APIReferences) -> Void) {
    var references = references ?? APIReferences()
    change(&references)
    self.references = references
  }
}
