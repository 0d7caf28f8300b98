/// The exchanges with services that are under way: equal requests of the repositories that share it
/// are one exchange.
public final class ResponseExchanges: Sendable {
  let shared:
    SharedExchanges<
      ResponseRepository.ExchangeKey, Result<ResponseRepository.Fetched, APIError>
    >

  /// None under way.
  public init() { shared = SharedExchanges() }

  /// - Parameter onJoin: As in `SharedExchanges`.
  init(onJoin: @escaping @Sendable (_ callers: Int) -> Void) {
    shared = SharedExchanges(onJoin: onJoin)
  }
}
