extension APIRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The method and the URL without its query, which might contain a secret.
  public var description: String {
    guard let address = try? URLBuilder(url) else {
      return "\(method) (an address that is not one)"
    }
    return "\(method) \(address.origin)\(address.path)"
  }

  /// The same as `description`.
  public var debugDescription: String { description }

  /// A mirror with the description only, so that `dump` shows no headers.
  public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
