import SwiftBoardCommandLine

/// Returns the argument's text. Throws if it contains a secret, which the command would print or
/// store.
package func plain(_ argument: Argument, _ command: String) throws(UsageError) -> String {
  guard let text = argument.text else {
    throw takesNoSecret(command, at: argument)
  }
  return text
}

/// Returns the error of a reference to a secret in a command that would print or store the value.
func takesNoSecret(_ command: String, at argument: Argument? = nil) -> UsageError {
  UsageError(
    "'\(command)' would show the secret; it takes no {{secret:NAME}}",
    help: "a secret goes into a request or a service's --auth", at: argument)
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

/// The maximum size of user input that stays in the state, such as a filter, in bytes.
package let longestKeptText = 4096

/// Returns a text that stays in the state after its command. Throws if the text contains a secret
/// or is longer than `longestKeptText`.
package func kept(_ argument: Argument, _ command: String) throws(UsageError) -> String {
  let text = try plain(argument, command)
  try checkLength(text, argument)
  return text
}

/// Throws if a text is too long to stay in the state.
package func checkLength(_ text: String, _ argument: Argument?) throws(UsageError) {
  guard text.utf8.count > longestKeptText else { return }
  throw UsageError(
    "a text of \(text.utf8.count) bytes is too long here: the state keeps it",
    help: "\(longestKeptText) bytes are the most", at: argument)
}
