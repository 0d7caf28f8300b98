import SwiftBoardBoard
import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

/// `pulse check HOST`: asks services whether they answer, and remembers which did.
enum Pulse {
  struct State: Codable, Sendable, Equatable {
    var isUp: [String: Bool] = [:]
    var lastCheck: Int64?
  }

  enum Action: FeatureAction {
    case check(context: CommandContext, host: String)
    case answered(job: Int, host: String, status: Int)
    case failed(job: Int, host: String, failure: Failure)

    var started: CommandContext? { if case .check(let context, _) = self { context } else { nil } }
  }

  static let feature = Feature(
    name: "pulse", summary: "ask services whether they are up", state: State(),
    reducer: PulseReducer(),
    commands: CommandTable([
      CommandSpec(
        ["pulse", "check"], "ask a service whether it is up",
        arguments: [ArgumentSpec("host", "its host name")],
        examples: ["pulse check radarr.example"]
      ) { invocation throws(UsageError) in
        let host = try invocation.requiredText("host")
        return FeatureCommand { .check(context: $0, host: host) }
      }
    ]),
    outcome: { action, state, _ in
      switch action {
      case .check: nil
      case .answered(let job, let host, let status):
        Outcome(
          job: job, value: .number(String(status)), presentation: .text("\(host): \(status)\n"))
      case .failed(let job, _, let failure): Outcome(job: job, failure: failure)
      }
    },
    link: { link in link.path.count == 1 ? ["pulse", "check", link.path[0]] : nil },
    // A host that was typed may become a secret, and is sent.
    forget: { $0.isUp = [:] }, passesWordsOn: true)
}

struct PulseReducer: Reducer {
  func reduce(
    _ state: inout Pulse.State, _ action: Pulse.Action, _ dependencies: Dependencies
  ) -> [Effect<Pulse.Action>] {
    switch action {
    case .check(let context, let host):
      state.lastCheck = dependencies.date.now
      return [
        .task(name: "pulse.check") {
          do throws(APIError) {
            let request = APIRequest(url: "http://\(host)/system/status", timeout: .seconds(5))
            let answer = try await dependencies.apiClient.send(request)
            return .answered(job: context.job, host: host, status: answer.status)
          } catch {
            return .failed(job: context.job, host: host, failure: Failure(error, dependencies))
          }
        }.cancellable(id: context.job)
      ]
    case .answered(_, let host, let status):
      state.isUp[host] = status == 200
      dependencies.logger.log("\(host) answered \(status)", category: "pulse")
      dependencies.analytics.track(AnalyticsEvent("pulse.answered"))
      return []
    case .failed(_, let host, let failure):
      state.isUp[host] = false
      dependencies.logger.log(failure.message, level: .error, category: "pulse")
      return []
    }
  }
}
