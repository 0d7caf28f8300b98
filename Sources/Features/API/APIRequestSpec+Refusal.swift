import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

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
    return memberProblem.map { problem in
      Failure(
        code: ExitCode.usage, error: "usage", message: problem.message { items[$0].typed },
        help: problem.help(items[problem.member].name))
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

  /// Why a kept request has, with the items of the line that runs it, what no line can have; `nil`
  /// if it has not.
  func refusalOfOptions(keptAs name: String) -> Failure? {
    func refusal(_ problem: String, _ help: String) -> Failure {
      Failure(
        code: ExitCode.usage, error: "usage",
        message: "the request kept as '\(name)' has \(problem)", help: help)
    }
    if let encoding, fileBesideEncoding != nil {
      return refusal(
        "--\(encoding.rawValue), which does not go with @FILE, the whole body",
        Self.helpForWholeBody)
    }
    if let item = queryItem(alsoSetBy: authentication) {
      return refusal(
        "--auth query:\(item), which does not go with another \(item) in the query",
        "keep it again with one of them")
    }
    return items.first(where: \.hasControls).map {
      refusal("control characters in the header \($0.name)", "keep it again without them")
    }
  }
}

extension APIItem {
  /// A member as a line has it.
  fileprivate var typed: String {
    typedName(inJSON: true) + kind.separator + value.description
  }
}

extension MemberTree.Problem {
  /// Returns what to do about it.
  ///
  /// - Parameter name: The name of the member.
  func help(_ name: String) -> String {
    switch reason {
    case .brackets: #"name[key], name[0] or name[]; brackets that are text: \[ and \]"#
    case .steps: "a path has a step for each level of the body; JSON as it is: --json-body TEXT"
    case .negative: #"indexes begin at 0; a key that is a negative number: name[\-1]"#
    case .firstKey: #"begin with the key: key=VALUE; brackets that are text: \[ and \]"#
    case .skipped: "elements before an index are sent as null; JSON as it is: --json-body TEXT"
    case .repeated: "several values: \(name):='[1, 2]'"
    case .conflict: #"give one of them; brackets that are text: \[ and \]"#
    }
  }
}
