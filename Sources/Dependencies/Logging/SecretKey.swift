/// Names whose values are secret whatever they are.
enum SecretKey {
  enum Kind {
    /// A header: everything up to the end of its line.
    case header
    /// A key of a query, a form or JSON.
    case key
    /// Both.
    case either
    /// Too common a word; secret only in a query or form.
    case bare
    /// `name`: the secret's name is the value, its value the next member's.
    case name
  }

  /// Case, `_` and `-` make no difference: `accessToken`, `access_token` and `ACCESS-TOKEN` are one.
  private static let kinds: [UInt64: Kind] = {
    var kinds: [UInt64: Kind] = [:]
    func add(_ names: [String], _ kind: Kind) {
      for name in names {
        Array(name.utf8).withUnsafeBufferPointer { kinds[hash($0, 0..<$0.count)] = kind }
      }
    }
    add(["authorization", "proxyauthorization", "cookie", "setcookie"], .header)
    add(["xapikey", "apikey", "xauthtoken", "xplextoken", "xembytoken"], .either)
    add(["token", "accesstoken", "refreshtoken", "idtoken", "authtoken"], .key)
    add(["password", "passwd", "passphrase", "clientsecret"], .key)
    add(["key"], .bare)
    add(["name"], .name)
    return kinds
  }()

  /// A bit for each name: most others are told by it, without a look into the table.
  private static let filter: UInt64 = kinds.keys.reduce(0) { $0 | 1 << ($1 & 63) }

  /// The kind of the name in a range of a text.
  static func kind(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Kind? {
    guard (3...40).contains(range.count) else { return nil }
    let hash = hash(text, range)
    return filter & (1 << (hash & 63)) == 0 ? nil : kinds[hash]
  }

  /// Whether a log field or a JSON member of that name holds a secret.
  static func isSecret(_ name: String) -> Bool {
    guard (3...40).contains(name.utf8.count) else { return false }
    let found: Kind?? = name.utf8.withContiguousStorageIfAvailable { kind($0, 0..<$0.count) }
    switch found ?? nil {
    case .header, .key, .either: return true
    case .bare, .name, nil: return false
    }
  }

  static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  /// FNV-1a of the letters in lower case.
  private static func hash(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in range {
      var byte = text[index]
      if byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") { continue }
      if (0x41...0x5A).contains(byte) { byte |= 0x20 }
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return hash
  }
}
