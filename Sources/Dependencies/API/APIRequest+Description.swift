extension APIRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Method and address without the query: nothing in it can be a secret.
  public var description: String {
    guard let address = try? URLBuilder(url) else {
      return "\(method) (an address that is not one)"
    }
    return "\(method) \(address.origin)\(address.path)"
  }

  public var debugDescription: String { description }

  /// Nothing but the description: `dump` shows no header either.
  public var customMirror: Mirror { Mirror(self, children: ["request": description]) }
}
