/// A fact about the installation, for `doctor`.
public struct InstallationFinding: Sendable, Hashable, Codable {
  /// Whether something must be done about a fact.
  public enum State: String, Sendable, Hashable, Codable {
    /// All is well.
    case good
    /// It works, but may be unexpected.
    case note
    /// It does not work.
    case problem
  }

  /// What the fact is about, for example `keychain`.
  public var subject: String
  /// Whether something must be done.
  public var state: State
  /// The fact. It contains no secret.
  public var text: String
  /// What to do about it.
  public var advice: String?

  /// Creates a finding.
  public init(_ subject: String, _ state: State, _ text: String, advice: String? = nil) {
    self.subject = subject
    self.state = state
    self.text = text
    self.advice = advice
  }

  /// Creates a finding that is good.
  public init(_ subject: String, _ text: String) { self.init(subject, .good, text) }
}
