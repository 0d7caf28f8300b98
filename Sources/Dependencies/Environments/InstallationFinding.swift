/// A fact about the installation.
public struct InstallationFinding: Sendable, Hashable {
  /// Whether something must be done about a fact.
  public enum State: String, Sendable, Hashable, Codable {
    /// All is well.
    case good
    /// It works, but may be unexpected.
    case note
    /// It does not work.
    case problem
  }

  /// What can be done about a fact. The program explains it in its own words.
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
    /// Use a locale with UTF-8.
    case useUTF8
    /// Do what the text says.
    case other(String)
  }

  /// What the fact is about, for example `keychain`.
  public var subject: String
  /// Whether something must be done.
  public var state: State
  /// The fact. It contains no secret.
  public var text: String
  /// What to do about it.
  public var remedy: Remedy?

  /// Creates a finding.
  public init(_ subject: String, _ state: State, _ text: String, remedy: Remedy? = nil) {
    self.subject = subject
    self.state = state
    self.text = text
    self.remedy = remedy
  }

  /// Creates a finding that is good.
  public init(_ subject: String, _ text: String) { self.init(subject, .good, text) }
}
