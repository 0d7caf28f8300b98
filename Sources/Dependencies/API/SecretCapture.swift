import SwiftBoardJSON
import SwiftBoardSystem

/// A part of an answer that becomes a secret of the keychain.
public struct APICapture: Codable, Sendable, Equatable {
  /// The secret's name.
  public var name: String
  /// Where in the answer: a path into `body` or `headers`, like `body.token`.
  public var path: String

  /// A capture, as the line has it.
  public init(name: String, path: String) {
    self.name = name
    self.path = path
  }
}

/// What became of a capture.
public struct CapturedSecret: Codable, Sendable, Equatable {
  /// Why a secret was not stored.
  public struct Problem: Codable, Sendable, Equatable {
    /// `nothingCaptured`, or the category of a keychain's error.
    public var error: String
    /// The problem, for people, in one line.
    public var message: String

    /// A problem from its parts.
    public init(error: String, message: String) {
      self.error = error
      self.message = message
    }
  }

  /// The secret's name.
  public var name: String
  /// Why it was not stored.
  public var problem: Problem?
  /// What the keychain said, where that is the problem.
  public var keychain: KeychainError?
  /// Whether the value is so short that it is not looked for in what follows.
  public var isShort: Bool
  /// Whether it took the place of another value. `nil` in earlier recordings.
  public var isReplacement: Bool?

  /// A secret that was stored.
  public init(name: String, isShort: Bool) {
    self.name = name
    self.isShort = isShort
  }
}

/// Stores parts of answers as secrets, before anything else may see them.
struct SecretCapture {
  private let dependencies: Dependencies

  init(_ dependencies: Dependencies) { self.dependencies = dependencies }

  /// Unlocks the keychain. Call it before anything is sent: an answer whose secret cannot be stored
  /// would be lost.
  func unlock() async throws {
    let access = KeychainAccess(dependencies)
    _ = try await access.unlocking { () throws(KeychainError) in try await access.keychain.keys() }
  }

  /// Stores what an answer has at the paths. One that does not exist or cannot be stored loses none
  /// of the answer.
  func store(_ captures: [APICapture], of response: APIResponse) async -> [CapturedSecret] {
    guard !captures.isEmpty else { return [] }
    let body = String(decoding: response.body, as: UTF8.self)
    let answer: JSON = [
      "headers": AnswerJSON.headers(response.headers), "body": AnswerJSON.body(body),
    ]
    var result: [CapturedSecret] = []
    for capture in captures {
      switch value(at: capture.path, of: answer, response.status) {
      case .success(let value): result.append(await store(value, capture))
      case .failure(let reason): result.append(nothing(capture, reason.text))
      }
    }
    await forgetKnownSecrets(dependencies)
    return result
  }

  private struct Reason: Error {
    var text: String
  }

  private func value(
    at path: String, of answer: JSON, _ status: Int
  ) -> Result<[UInt8], Reason> {
    guard status < 400 else {
      return .failure(Reason(text: "the service answered HTTP \(status)"))
    }
    let value: [UInt8]
    switch (try? JSONPath(parsing: path)).flatMap(answer.value(at:)) {
    case .string(let text) where !text.isEmpty: value = Array(text.utf8)
    case .number(let text): value = Array(text.utf8)
    case nil: return .failure(Reason(text: "the answer has nothing at '\(path)'"))
    case .some: return .failure(Reason(text: "what is at '\(path)' is not text"))
    }
    guard value.withUnsafeBufferPointer({ RedactionMark.first(in: $0) }) == nil else {
      return .failure(Reason(text: "what is at '\(path)' is a mark in place of a value"))
    }
    return .success(value)
  }

  private func store(_ value: [UInt8], _ capture: APICapture) async -> CapturedSecret {
    do {
      let keychain = dependencies.keychainService
      let isReplacement = try await keychain.keys().contains(capture.name)
      try await keychain.save(Data(value), forKey: capture.name)
      if isReplacement { await forgetAnswers(withSecret: capture.name, dependencies) }
      var captured = CapturedSecret(
        name: capture.name, isShort: value.count < Redactor.shortestValue)
      captured.isReplacement = isReplacement ? true : nil
      return captured
    } catch {
      var captured = CapturedSecret(name: capture.name, isShort: false)
      captured.problem = CapturedSecret.Problem(
        error: error.category, message: dependencies.logger.redact(error.message))
      captured.keychain = error
      captured.keychain?.message = dependencies.logger.redact(error.message)
      return captured
    }
  }

  private func nothing(_ capture: APICapture, _ reason: String) -> CapturedSecret {
    var captured = CapturedSecret(name: capture.name, isShort: false)
    captured.problem = CapturedSecret.Problem(
      error: "nothingCaptured",
      message: "\(reason); the secret '\(capture.name)' was not stored")
    return captured
  }
}

/// Removes the kept answers that hold a known secret: they were kept before it was known. A cache
/// that fails keeps no answer from its line.
package func forgetKnownSecrets(_ dependencies: Dependencies) async {
  do {
    try await dependencies.persistence.removeResponses(withSecretsOf: dependencies.logger.redactor)
  } catch {
    dependencies.logger.log(
      "kept answers were not searched for secrets: \(error)", level: .warning, category: "api")
  }
}

/// Removes the kept answers to requests with a secret, or with any for `nil`, by the names in their
/// keys: its value is another one now, or is gone. A cache that fails keeps no secret from being
/// changed.
func forgetAnswers(withSecret name: String?, _ dependencies: Dependencies) async {
  let reference = name.map { "{{secret:\($0)}}" } ?? "{{secret:"
  let account = name.map { "\naccount: \($0), " } ?? "\naccount: "
  do {
    _ = try await dependencies.persistence.removeResponses {
      $0.key.contains(reference) || $0.key.contains(account)
    }
  } catch {
    dependencies.logger.log(
      "the answers of a changed secret are still kept: \(error)", level: .warning, category: "api")
  }
}
