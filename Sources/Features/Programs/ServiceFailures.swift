import SwiftBoardBoard
import SwiftBoardDependencies

// What the features that ask a program of a service say of services.

extension Failure {
  init(noService name: String) {
    self.init(
      code: ExitCode.missing, error: "noSuchService",
      message: "there is no service named '\(name)'",
      help: "'api service add \(name) URL --preset KIND' makes it known")
  }

  /// - Parameter presets: The kinds of programs that the feature asks.
  init(noProgram service: APIService, of feature: String, presets: [String]) {
    let kind = service.preset.map { "is of the kind \($0)" } ?? "has no preset"
    // Another preset would be of no use to a service of another kind.
    let command = service.preset.flatMap(ServicePreset.init(rawValue:))?
      .firstCommand(service: service.name)
    var help = "'\(command ?? "api get \(service.name)/PATH")' asks it"
    if service.preset == nil {
      help +=
        "; a service that '\(feature)' asks is added with --preset "
        + presets.joined(separator: ", or ")
    }
    self.init(
      code: ExitCode.usage, error: "usage",
      message: "the service '\(service.name)' \(kind), which '\(feature)' cannot ask", help: help)
  }

  /// Refuses a service whose address contains a mark, because the mark replaces a part of the
  /// address.
  static func refuseMarks(in service: APIService) throws(Failure) {
    do { try MarkedText.refuse(service.baseURL, in: "the address of the service") } catch {
      throw Failure(any: error)
    }
  }

  static func holdsSecrets(_ masked: MaskedValues) -> Failure {
    Failure(
      code: ExitCode.data, error: "maskedSecret",
      message: "what the program sent holds the secret '\(masked.names.first ?? "")' in place of "
        + "its value, and is not sent back",
      help: helpForMarks)
  }

  /// Refuses to send back what a program has sent with a mark in it. Effects call it: in earlier
  /// recordings, such an item was sent.
  static func refuseMarks(in sent: MediaResource) throws(Failure) {
    do { try MarkedText.refuse(sent.json.text, in: "what the program sent") } catch {
      var failure = Failure(any: error)
      failure.help = helpForMarks
      throw failure
    }
  }

  private static let helpForMarks = "change it in the program itself"
}
