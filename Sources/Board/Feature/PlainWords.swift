import SwiftBoardCommandLine

/// Returns the argument's text. Throws if it contains a secret, which the command would print or
/// store.
package func plain(_ argument: Argument, _ command: String) throws(UsageError) -> String {
  guard let text = argument.text else {
    throw UsageError(
      "'\(command)' would show the secret; it takes no {{secret:NAME}}",
      help: "a secret goes into a request or a service's --auth", at: argument)
  }
  return text
}

package func plainIfGiven(_ argument: Argument?, _ command: String) throws(UsageError) -> String? {
  guard let argument else { return nil }
  return try plain(argument, command)
}

package func plain(_ arguments: [Argument], _ command: String) throws(UsageError) -> [String] {
  var texts: [String] = []
  for argument in arguments { texts.append(try plain(argument, command)) }
  return texts
}
