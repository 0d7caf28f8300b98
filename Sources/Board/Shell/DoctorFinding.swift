import SwiftBoardDependencies

/// A fact about the installation, with advice in the board's words.
public struct DoctorFinding: Sendable, Hashable, Codable {
  /// What the fact is about, for example `keychain`.
  public var subject: String
  /// Whether something must be done.
  public var state: InstallationFinding.State
  /// The fact. It contains no secret.
  public var text: String
  /// What to do about it.
  public var advice: String?

  init(_ finding: InstallationFinding) {
    subject = finding.subject
    state = finding.state
    text = finding.text
    advice = finding.remedy?.words
  }
}

extension InstallationFinding.Remedy {
  /// Advice in terms of the board's commands and options.
  fileprivate var words: String {
    switch self {
    case .installHTTP: "without it, 'api' cannot send requests"
    case .createKeychain: "'keychain init' creates it"
    case .runAsOwner: "run as that user, or choose another --home"
    case .changeMode(let path, let mode): "chmod \(String(mode, radix: 8)) '\(path)'"
    case .otherFolder: "choose another folder with --home"
    case .freeSpace: "make room, or move the home"
    case .checkDatabase: "'db check' reads all of it"
    case .useUTF8: "LANG=C.UTF-8 allows other characters"
    case .other(let text): text
    }
  }
}
