import SwiftBoardJSON

/// The name of a logged action: its enum case, and the cases inside it, as `keychain.get`.
///
/// An enum with payloads is logged as `{"case":{…}}`, one inside another as
/// `{"outer":{"inner":{…}}}` or, where `Codable` writes it without a label, as
/// `{"outer":{"_0":{"inner":{…}}}}`, and a raw value as a string. A payload `action` is the action
/// of a part, and its case belongs to the name: `characters.search.loaded`. JSON alone cannot
/// distinguish another payload that looks like a case from a case, so names go no deeper than
/// requested.
package enum ActionName {
  /// - Parameter depth: The largest number of names. The first is the case of the action itself,
  ///   which in a composed program is the feature.
  /// - Returns: The name, or `?` if the action is not an enum.
  package static func of(_ action: JSON, depth: Int = 2) -> String {
    var names: [String] = []
    var current = action
    var depth = max(1, depth)
    while names.count < depth {
      if case .string(let name) = current {
        names.append(name)
        break
      }
      guard case .object(let members) = current, members.count == 1,
        case .object(let payload) = members[0].value
      else { break }
      names.append(members[0].key)
      if names.count > 1, let part = members[0].value["action"], isCase(part) {
        depth += 1
        current = part
        continue
      }
      let inner = payload.count == 1 && payload[0].key == "_0" ? payload[0].value : members[0].value
      guard isCase(inner) else { break }
      current = inner
    }
    return names.isEmpty ? "?" : names.joined(separator: ".")
  }

  private static func isCase(_ value: JSON) -> Bool {
    guard case .object(let members) = value, members.count == 1, case .object = members[0].value
    else { return false }
    return true
  }
}
