/// A request with all decisions that are made before it is sent, for `APIExchange`.
public struct PlannedRequest: Sendable, Equatable {
  /// The request. Its secrets are given by name and its files by path.
  public var request: APIRequest
  /// The cache key of the response. It contains the names of secrets, never their values.
  public var key: String
  /// The name of the service, for clearing its responses.
  public var service: String
  /// The permitted sources of the answer.
  public var policy: CachePolicy
  /// The destination of the body, or `nil` to return the body with the response.
  public var file: File?
  /// The secrets to capture from the response.
  public var captures: [APICapture]
  /// The statuses after which the request is repeated. Unless repeating is impossible, the body of
  /// such a response is not written to the file, and no secret is captured from it.
  public var repeatedStatuses: Set<Int> = []
  /// The failures after which the request is repeated. A cached response does not replace them.
  public var repeatedFailures: Set<APIError.Kind> = []
  /// The longest wait that a service may ask for with `Retry-After`, in seconds. An answer that
  /// asks for more is not repeated.
  public var longestPause = Int64.max
  /// Whether the answer has the body of the request, for display.
  public var showsBody = false
  /// The text to add to the recent searches before the request is sent, or `nil` for none.
  public var search: String?
  /// The number of this attempt, from 1.
  public var attempt: Int

  /// The file for the body of a response.
  public struct File: Sendable, Equatable {
    /// The path of the file.
    public var path: String
    /// Whether to keep a partial file next to it after a failure, and to continue it the next time.
    public var continues: Bool
    /// Whether the same request may also keep one, for advice.
    public var mayContinue = false
    /// Whether to show the progress at the terminal.
    public var showsProgress: Bool
    /// Whether to also write the body of a response with a failure status.
    public var takesFailures = false

    /// Creates a destination.
    public init(path: String, continues: Bool, showsProgress: Bool) {
      self.path = path
      self.continues = continues
      self.showsProgress = showsProgress
    }
  }

  /// Creates a request whose response is returned as a whole.
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
