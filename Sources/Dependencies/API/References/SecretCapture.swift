import SwiftBoardJSON
import SwiftBoardSystem

/// A value in a response that is stored as a secret in the keychain.
public struct APICapture: Codable, Sendable, Equatable {
  /// The secret's name.
  public var name: String
  /// The path of the value, which begins with `body` or `headers`: `body.token`.
  public var path: String

  /// Creates a capture.
  public init(name: String, path: String) {
    self.name = name
    self.path = path
  }
}

/// The result of a capture.
public struct CapturedSecret: Codable, Sendable, Equatable {
  /// The reason why a secret was not stored.
  public struct Problem: Codable, Sendable, Equatable {
    /// The category of a body that is not JSON although its headers say that it is.
    package static let notJSON = "notJSON"

    /// `nothingCaptured`, `notJSON`, or the category of the keychain error.
    public var error: String
    /// The problem, for users, in one line.
    public var message: String

    /// A problem from its parts.
    public init(error: String, message: String) {
      self.error = error
      self.message = message
    }
  }

  /// The secret's name.
  public var name: String
  /// The reason why the secret was not stored, or `nil` if it was.
  public var problem: Problem?
  /// The underlying keychain error, if any.
  public var keychain: KeychainError?
  /// Whether the value is too short to be masked in later text.
  public var isShort: Bool
  /// Whether it replaced another value, or `nil` in earlier recordings.
  public var isReplacement: Bool?

  /// Creates the result for a stored secret.
  public init(name: String, isShort: Bool) {
    self.name = name
    self.isShort = isShort
  }
}

/// Stores values of responses as secrets before any other code receives the response.
struct SecretCapture {
  private let dependencies: Dependencies

  init(_ dependencies: Dependencies) { self.dependencies = dependencies }

  /// Unlocks the keychain and checks the names of new secrets. Call this before a request is sent,
  /// because a response whose secret cannot be stored would be lost.
  func prepare(_ captures: [APICapture]) async throws {
    guard !captures.isEmpty else { return }
    for (index, capture) in captures.enumerated()
    where captures[..<index].contains(where: { $0.name.hasSameBytes(as: capture.name) }) {
      throw KeychainError(
        .invalidKey,
        message: "two values of the answer would be stored as one secret, which has one value. "
          + "Nothing was sent; give each a name of its own.")
    }
    let access = KeychainAccess(dependencies)
    let names = try await access.unlocking { () throws(KeychainError) in
      try await access.keychain.keys()
    }
    for capture in captures where !names.contains(where: { $0.hasSameBytes(as: capture.name) }) {
      try KeychainError.check(newName: capture.name)
    }
  }

  /// Stores the values at the paths. The response is kept even if a value is missing or cannot be
  /// stored.
  func store(_ captures: [APICapture], of response: APIResponse) async -> [CapturedSecret] {
    guard !captures.isEmpty else { return [] }
    let content = Content(response)
    var result: [CapturedSecret] = []
    for capture in captures {
      switch value(at: capture.path, of: content) {
      case .success(let value): result.append(await store(value, capture))
      case .failure(let reason): result.append(nothing(capture, reason))
      }
    }
    await forgetKnownSecrets(dependencies)
    return result
  }

  private struct Reason: Error {
    var text: String
    var error = "nothingCaptured"
  }

  /// The parts of a response from which values are captured.
  private struct Content {
    let status: Int
    let json: JSON
    /// A body that is not UTF-8. Decoding would replace bytes, and the secret would be another one.
    let bytes: [UInt8]?
    /// Why the body is not JSON although its headers say that it is.
    let problem: String?

    init(_ response: APIResponse) {
      status = response.status
      let body = String(validating: response.body, as: UTF8.self)
      bytes = body == nil ? [UInt8](response.body) : nil
      problem = AnswerJSON.problem(ofBody: body ?? "", response.headers)
      json = [
        "headers": AnswerJSON.headers(response.headers), "body": AnswerJSON.body(body ?? ""),
      ]
    }
  }

  private func value(at path: String, of content: Content) -> Result<[UInt8], Reason> {
    guard content.status < 400 else {
      return .failure(Reason(text: "the service answered HTTP \(content.status)"))
    }
    let value: [UInt8]
    let steps = try? JSONPath(parsing: path)
    let isHeader = steps?.steps.first == .key("headers")
    switch steps.flatMap({ AnswerJSON.value(at: $0, in: content.json) }) {
    case _ where content.bytes != nil && !isHeader:
      guard steps?.steps == [.key("body")], let bytes = content.bytes else {
        return .failure(
          Reason(text: "the body is not UTF-8, so a part of it would not be exact"))
      }
      value = bytes
    // Its bytes may have been UTF-8 or Latin-1.
    case .string(let text) where isHeader && !text.utf8.allSatisfy { $0 < 0x80 }:
      return .failure(Reason(text: "what is at '\(path)' is not ASCII"))
    case .string(let text) where !text.isEmpty: value = Array(text.utf8)
    case .number(let text): value = Array(text.utf8)
    case .string: return .failure(Reason(text: "what is at '\(path)' is an empty text"))
    case nil:
      if !isHeader, let problem = content.problem {
        return .failure(Reason(text: problem, error: CapturedSecret.Problem.notJSON))
      }
      return .failure(Reason(text: "the answer has nothing at '\(path)'"))
    case .array(let values) where isHeader:
      return .failure(
        Reason(
          text: "what is at '\(path)' is \(values.count) headers: name one, as with \(path)[0]"))
    case .some: return .failure(Reason(text: "what is at '\(path)' is not text"))
    }
    guard value.withUnsafeBufferPointer({ RedactionMark.first(inAnyFormIn: $0) }) == nil else {
      return .failure(Reason(text: "what is at '\(path)' is a mark in place of a value"))
    }
    return .success(value)
  }

  private func store(_ value: [UInt8], _ capture: APICapture) async -> CapturedSecret {
    do {
      let keychain = dependencies.keychainService
      let isReplacement = try await keychain.keys().contains {
        $0.hasSameBytes(as: capture.name)
      }
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

  private func nothing(_ capture: APICapture, _ reason: Reason) -> CapturedSecret {
    // The reason can quote a key of the body.
    let text = dependencies.logger.redactor.mask(reason.text).value
    var captured = CapturedSecret(name: capture.name, isShort: false)
    captured.problem = CapturedSecret.Problem(
      error: reason.error, message: "\(text); the secret '\(capture.name)' was not stored")
    return captured
  }
}

/// Removes the cached responses that contain a known secret, because they were cached before the
/// secret was known. Errors of the cache are ignored. The secret is known, so the responses are
/// removed even if the task was cancelled.
package func forgetKnownSecrets(_ dependencies: Dependencies) async {
  do {
    try await BusyWait.$ignoresCancellation.withValue(true) {
      try await dependencies.persistence.removeResponses(
        withSecretsOf: dependencies.logger.redactor)
    }
  } catch {
    dependencies.logger.log(
      "kept answers were not searched for secrets: \(error)", level: .warning, category: "api")
  }
}

/// Removes the cached responses to requests whose keys name the secret, or any secret if `name` is
/// `nil`, because its value has changed or was removed. Errors of the cache are ignored. The change
/// is made, so the responses are removed even if the task was cancelled.
func forgetAnswers(withSecret name: String?, _ dependencies: Dependencies) async {
  await BusyWait.$ignoresCancellation.withValue(true) {
    await removeAnswers(withSecret: name, dependencies)
  }
}

private func removeAnswers(withSecret name: String?, _ dependencies: Dependencies) async {
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
