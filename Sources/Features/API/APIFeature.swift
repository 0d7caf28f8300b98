import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies

extension BoardFeatures {
  /// HTTP services, with keys from the keychain and answers from a cache.
  public static let api = Feature(
    name: "api", summary: "HTTP services, their keys and their answers", state: APIState(),
    reducer: APIReducer(), commands: APICommands.table,
    outcome: { action, state, context in
      // A request that is sent again, or kept first, has not ended.
      state.pending.contains(id: action.job)
        ? nil : APIOutcomes.outcome(of: action, context)
    },
    link: { link in
      link.path.isEmpty
        ? link.query.isEmpty ? ["api", "service", "list"] : nil
        : ["api", "get", link.path.map(pathPart).joined(separator: "/")]
          + link.query.map { item($0.name) + "==" + $0.value }
    },
    events: { action, _ in
      // Addresses and names of services are typed, and so in no event.
      switch action {
      case .run(let context, _): [AnalyticsEvent(context.name)]
      case .answered(_, let answer, _):
        [
          AnalyticsEvent(
            "api.answered",
            properties: [
              LogField("status", "\(answer.status / 100)xx"),
              LogField("verdict", answer.verdict.rawValue),
            ])
        ]
      case .failed(_, let failure, _): [AnalyticsEvent("api.failed", of: failure)]
      default: []
      }
    },
    cancelled: { state, job in state.pending.remove(id: job) },
    endsCancelled: { state, job in state.changes.contains(job) },
    forget: { state in
      state.answers = []
      state.forgetServices()
    },
    hide: { state, job in state.pending[id: job]?.hide() ?? true },
    reload: { $0.forgetServices() },
    continued: { state, running in state.changes?.keep(running) },
    volatile: [
      // What is known of services is that of the home.
      "bootstrapped.known", "bootstrapped.failure",
      "answered.answer.timing", "answered.answer.attempts", "answered.answer.verdict",
      // Earlier recordings have none.
      "answered.answer.sentBody",
      "answered.answer.proxy", "succeeded.result.tested.proxy",
      "succeeded.result.tested.milliseconds", "succeeded.result.testedProgram.milliseconds",
      "succeeded.result.recent.searches[*].at",
      "succeeded.result.statistics.statistics.answers[*].microseconds",
      "succeeded.result.statistics.statistics.answers[*].verdict",
      "succeeded.result.cache.responses[*].stored",
      "succeeded.result.cache.responses[*].expires",
    ] + volatileHeaders.map { "answered.answer.headers[name=\($0)]" },
    passesWordsOn: true, secretWords: SecretWords(literal: RequestSecrets.first),
    atTerminal: { $0.rereadsServices = true },
    bootstrap: {
      ($0.services == nil || $0.saved == nil) && !$0.isEarlier ? .bootstrap : nil
    },
    candidates: { kind, _, dependencies in
      switch kind {
      case .service: ((try? await dependencies.persistence.services()) ?? []).map(\.name)
      case .target:
        ((try? await dependencies.persistence.services()) ?? []).map { $0.name + "/" }
      // What is sent needs them, also where the keychain is locked and does not tell its names.
      case .secret:
        ((try? await dependencies.persistence.services()) ?? [])
          .compactMap(\.authentication?.secret).sorted()
      case .savedRequest:
        SavedRequest.names(in: (try? await dependencies.persistence.preferences()) ?? [])
      default: []
      }
    }, version: nil, migrations: APIMigrations.all)
}

/// Headers that describe the message and not the resource (RFC 9110 6.6.1, 7.6.1; RFC 9111 5.1):
/// the date, the age, and the connection. Cached responses have none of them.
private let volatileHeaders = [
  "date", "age", "connection", "keep-alive", "proxy-connection", "te", "trailer",
  "transfer-encoding", "upgrade",
]

/// Returns a part of a path with the characters escaped that would begin another part, a query or a
/// fragment.
private func pathPart(_ text: String) -> String {
  text.map { character in
    character.isWhitespace || "%/?#".contains(character)
      ? PercentEncoding.encoded(String(character)) : String(character)
  }.joined()
}

/// Returns a name as a word of a line, with the characters escaped that determine the kind of an
/// item.
private func item(_ name: String) -> String {
  name.map { "\\:=@".contains($0) ? "\\\($0)" : String($0) }.joined()
}
