import SwiftBoardDependencies
import SwiftBoardStore

/// Asks services whether they answer, and counts the answers.
struct Pulse: Reducer {
  struct State: Sendable, Equatable {
    var isUp: [String: Bool] = [:]
    var lastCheck: Int64?
  }

  enum Action: Sendable, Equatable {
    case check(String)
    case answered(String, status: Int)
    case failed(String, APIError)
  }

  func reduce(
    _ state: inout State, _ action: Action, _ dependencies: Dependencies
  ) -> [Effect<Action>] {
    switch action {
    case .check(let name):
      state.lastCheck = dependencies.date.now
      return [
        .run(name: "check") { send in
          do throws(APIError) {
            let request = APIRequest(url: "http://\(name)/system/status", timeout: .seconds(5))
            let answer = try await dependencies.apiClient.send(request)
            await send(.answered(name, status: answer.status))
          } catch {
            await send(.failed(name, error))
          }
        }
      ]
    case .answered(let name, let status):
      state.isUp[name] = status == 200
      dependencies.logger.log("\(name) answered \(status)", category: "pulse")
      dependencies.analytics.track(AnalyticsEvent("pulse.answered"))
      return []
    case .failed(let name, let error):
      state.isUp[name] = false
      dependencies.logger.log("\(name): \(error.message)", level: .error, category: "pulse")
      return []
    }
  }
}
