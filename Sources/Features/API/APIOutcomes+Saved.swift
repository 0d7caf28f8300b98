import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardJSON

extension APIOutcomes {
  /// Shows a kept request as the line that makes it, with names in place of secrets.
  ///
  /// - Parameter isLine: Whether it is a line. In earlier recordings, it was a table of words.
  static func saved(
    _ request: APIRequestSpec, as name: String, isLine: Bool, _ job: Int
  ) -> Outcome {
    let target = request.shownTarget.description
    let options = request.options.map { JSON.Member($0.name, $0.value.json) }
    return Outcome(
      job: job,
      value: [
        "name": .string(name), "method": .string(request.method), "target": .string(target),
        "items": .array(request.items.map(json)), "options": .object(options),
      ],
      presentation: isLine
        ? .text(request.line + "\n")
        : .fields(
          [("name", name), ("method", request.method), ("target", target)]
            + request.items.map { ("item", text(of: $0)) } + options.flatMap { rows(of: $0) }))
  }

  private static func rows(of option: JSON.Member) -> [(String, String)] {
    let values = if case .array(let values) = option.value { values } else { [option.value] }
    return values.map { ("--\(option.key)", $0.stringValue ?? $0.text) }
  }

  private static func json(_ item: APIItem) -> JSON {
    .object(
      [
        .init("kind", .string(item.kind.rawValue)), .init("name", .string(item.name)),
        .init("value", .string(item.shownValue.description)),
      ] + (item.type.map { [.init("type", .string($0))] } ?? []))
  }

  private static func text(of item: APIItem) -> String {
    item.name + item.kind.separator + item.shownValue.description
      + (item.type.map { ";type=\($0)" } ?? "")
  }
}
