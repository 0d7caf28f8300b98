/// A request and everything that was decided about it before it is sent, for `APIExchange`.
public struct PlannedRequest: Sendable, Equatable {
  /// What is sent; its secrets and files stand by name.
  public var request: APIRequest
  /// The key of its answer in the cache: with the names of the secrets, without their values.
  public var key: String
  /// Whose answer it is, for clearing by service.
  public var service: String
  /// The permitted sources of the answer.
  public var policy: CachePolicy
  /// The file for the body; `nil`: the body is in the answer.
  public var file: File?
  /// The secrets that are taken from the answer.
  public var captures: [APICapture]
  /// The statuses after which the request is sent again. The body of such an answer is not written
  /// to the file, and no secret is taken from it, unless it cannot be sent again.
  public var repeatedStatuses: Set<Int> = []
  /// What is remembered among the recent searches before it is sent; `nil`: nothing.
  public var search: String?
  /// How often it has been sent with this attempt, the first time included.
  public var attempt: Int

  /// The file that the body of an answer is written to.
  public struct File: Sendable, Equatable {
    /// Its path.
    public var path: String
    /// Whether what comes before a failure stays beside it, and is continued the next time.
    public var continues: Bool
    /// Whether the terminal shows how much has come.
    public var showsProgress: Bool
    /// Whether the body of an answer with a failing status is written too.
    public var takesFailures = false

    /// A file from its parts.
    public init(path: String, continues: Bool, showsProgress: Bool) {
      self.path = path
      self.continues = continues
      self.showsProgress = showsProgress
    }
  }

  /// A request whose answer is returned whole.
  public init(
    _ request: APIRequest, key: String, service: String, policy: CachePolicy, file: File? = nil,
    captures: [APICapture] = [], attempt: Int = 1
  ) {
    self.request = request
    self.key = key
    self.service = service
    self.policy = policy
    self.file = file
    self.captures = captures
    self.attempt = attempt
  }
}
