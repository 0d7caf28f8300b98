import SwiftBoardBoard
import SwiftBoardCommandLine

extension APIRequestSpec {
  /// Why a kept request cannot be sent with the items of the line that runs it; `nil` if it can.
  func refusal(keptAs name: String) -> Failure? {
    if let header = items.first(where: \.followsFromBody) {
      return Failure(
        code: ExitCode.data, error: "malformedData",
        message:
          "the request kept as '\(name)' has the header \(header.name), which follows from the body",
        help: "keep it again without that header")
    }
    if resumes == true, let header = items.first(where: \.choosesRange) {
      return Failure(
        code: ExitCode.usage, error: "usage",
        message:
          "the request kept as '\(name)' has --resume, which does not go with \(header.name)",
        help: "--resume asks for the missing bytes itself")
    }
    return repeatedMember.map { first, second in
      Failure(
        code: ExitCode.usage, error: "usage",
        message:
          "'\(items[first].typed)' and '\(items[second].typed)' are the same member of the JSON body",
        help: "several values: \(items[second].name):='[1, 2]'")
    }
  }

  /// Why a kept request with a multipart body cannot be sent with its `Content-Type`; `nil` if it
  /// can.
  func refusalOfType(keptAs name: String) -> Failure? {
    typeOfMultipart.map { type in
      Failure(
        code: ExitCode.usage, error: "usage",
        message:
          "the request kept as '\(name)' has a multipart body, which does not go with "
          + "\(items[type].name)",
        help: Self.helpForMultipart)
    }
  }
}

extension APIItem {
  /// A member as a line has it.
  fileprivate var typed: String { name + kind.separator + value.description }
}
