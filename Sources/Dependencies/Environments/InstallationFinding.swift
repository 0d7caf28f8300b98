/// A fact about the installation.
public struct InstallationFinding: Sendable, Hashable {
  /// The severity of a finding.
  public enum State: String, Sendable, Hashable, Codable {
    /// All is well.
    case good
    /// It works, but may be unexpected.
    case note
    /// It does not work.
    case problem
  }

  /// A remedy. The program describes it in its own words.
  public enum Remedy: Sendable, Hashable {
    /// Install the library that requests need.
    case installHTTP
    /// Create a keychain.
    case createKeychain
    /// Run as the owner of the file, or use another folder.
    case runAsOwner
    /// Change the permissions of a file to `mode`.
    case changeMode(path: String, mode: UInt32)
    /// Use another folder, or another disk.
    case otherFolder, freeSpace
    /// Let the database check all of its content.
    case checkDatabase
    /// Use a locale with UTF-8.
    case useUTF8
    /// Any other remedy, as a text.
    case other(String)
  }

  /// The subject, for example `keychain`.
  public var subject: String
  /// The severity.
  public var state: State
  /// The fact. It contains no secret.
  public var text: String
  /// The remedy, or `nil` if none is needed.
  public var remedy: Remedy?

  /// Creates a finding.
  public init(_ subject: String, _ state: State, _ text: String, remedy: Remedy? = nil) {
    self.subject = subject
    self.state = state
    self.text = text
    self.remedy = remedy
  }

  /// Creates a finding without a problem.
  public init(_ subject: String, _ text: String) { self.init(subject, .good, text) }
}
