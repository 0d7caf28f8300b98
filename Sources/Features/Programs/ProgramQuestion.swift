import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardStore

/// The actions of a feature that sends requests to programs.
protocol ProgramAction: Sendable {
  associatedtype Answer: Codable & Sendable

  /// The name of the feature, which is the prefix of its effects' names.
  static var feature: String { get }

  static func resolved(job: Int, service: APIService?) -> Self
  static func answered(job: Int, answer: Answer, masked: MaskedValues?) -> Self
  static func failed(job: Int, failure: Failure) -> Self
}

/// A request to a program as an effect, with the operators that all such requests share.
struct ProgramQuestion<Action: ProgramAction> {
  private let job: Int
  private let dependencies: Dependencies
  private let retries: RetryPolicy

  init(_ job: Int, _ dependencies: Dependencies, retries: Int = 0) {
    self.job = job
    self.dependencies = dependencies
    self.retries = .service(retries: retries)
  }

  /// Looks up the service of a command.
  func find(service name: String) -> [Effect<Action>] {
    let (job, dependencies) = (job, dependencies)
    return .task(name: "\(Action.feature).service") {
      let service = try await dependencies.persistence.service(name)
      return .resolved(job: job, service: try await masking([service], dependencies).value[0])
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  /// - Parameters:
  ///   - hasRetry: Whether the command has `--retry`, because it changes nothing.
  ///   - narrowing: The option that reduces the size of the response, for a response that is too
  ///     large.
  func callAsFunction(
    _ name: String, hasRetry: Bool = true, narrowing: String? = nil,
    _ question: @escaping @Sendable () async throws -> Action.Answer
  ) -> [Effect<Action>] {
    let (job, dependencies) = (job, dependencies)
    return .task(name: "\(Action.feature).\(name)") {
      let (answer, masked) = try await masking(try await question(), dependencies)
      return .answered(job: job, answer: answer, masked: masked)
    }
    .retry(retries, clock: dependencies.clock.standard) {
      hasRetry && ($0 as? ProgramError)?.isTemporary == true
    }
    .catchFailure(dependencies) {
      .failed(job: job, failure: $0.withAdvice(narrowing: narrowing, hasRetry: hasRetry))
    }
    .cancellable(id: job)
  }

  /// Sends a request that changes something, once. If it is cancelled, the command ends with what
  /// the program has answered.
  ///
  /// - Parameter changes: The running changes of the feature, or `nil` in an earlier recording.
  func change(
    _ name: String, in changes: inout RunningChanges?,
    _ question: @escaping @Sendable () async throws -> Action.Answer
  ) -> [Effect<Action>] {
    guard changes != nil else { return self(name, hasRetry: false, question) }
    let (job, dependencies) = (job, dependencies)
    return .change(
      name: "\(Action.feature).\(name)", job: job, in: &changes, dependencies, question
    ) {
      let (answer, masked) = try await masking($0, dependencies)
      return .answered(job: job, answer: answer, masked: masked)
    } failure: {
      .failed(job: job, failure: $0.withAdvice(narrowing: nil, hasRetry: false))
    }
  }
}

extension RemoteProgram {
  /// Creates the program that a service is, for a command of a feature that asks such programs.
  ///
  /// - Throws: `Failure` if the service is not known, or is no program that the feature asks.
  init(
    _ service: APIService?, named name: String, of feature: String, timeout: Int64?
  ) throws(Failure) {
    guard let service else { throw Failure(noService: name) }
    guard let program = service.preset.flatMap(Program.init(rawValue:)) else {
      throw Failure(
        noProgram: service, of: feature, presets: Program.allCases.map(\.rawValue))
    }
    try Failure.refuseMarks(in: service)
    self.init(program, service, timeout: timeout)
  }
}
