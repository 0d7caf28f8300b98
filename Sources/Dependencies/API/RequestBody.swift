import SwiftBoardSystem
import Synchronization

/// A body of any size, assembled from texts and files.
///
/// A short body is sent in one piece. A long body is read while it is sent, and a piece that
/// contains a mark instead of a secret is refused before it is sent.
final class RequestBody: Sendable {
  enum Part: Sendable {
    case data(Data)
    /// - shown: The name of the file in messages.
    case file(path: String, shown: String)
  }

  /// The maximum number of bytes to read before sending begins.
  static let shortSize = 1 << 20

  private let parts: [Part]
  private let dependencies: Dependencies
  private let problem = Mutex<(any Error)?>(nil)

  init(_ parts: [Part], _ dependencies: Dependencies) {
    self.parts = parts
    self.dependencies = dependencies
  }

  /// The error that ended the reading, if any.
  var failure: (any Error)? { problem.withLock { $0 } }

  /// Sets the body of a request.
  ///
  /// - Returns: Whether the whole body can be read again.
  /// - Throws: `FileError` or `APIRequestProblem` if a file cannot be read or contains a mark, and
  ///   `APIError` of kind `timeout` if a pipe provides nothing in time.
  func put(into request: inout APIRequest, _ wait: PipeTimeout) async throws -> Bool {
    let paths = parts.compactMap { part in
      if case .file(let path, _) = part { path } else { nil }
    }
    var inputs: [FileInput] = []
    var length: Int64? = 0
    for part in parts {
      switch part {
      case .data(let data): length? += Int64(data.count)
      case .file(let path, _):
        let input = try await wait.run([path]) { [dependencies] in
          try await dependencies.files.input(path)
        }
        inputs.append(input)
        length = input.size.flatMap { size in length.map { $0 + size } }
      }
    }
    let isRepeatable = inputs.allSatisfy(\.isRepeatable)
    let reader = RequestBodyReader(parts, dependencies, inputs)
    var begin = Data()
    while begin.count < Self.shortSize {
      guard let piece = try await wait.run(paths, { try await reader.next() }) else {
        request.body = begin
        return isRepeatable
      }
      begin.append(piece)
    }
    let first = Mutex<(Data, RequestBodyReader)?>((begin, reader))
    request.upload = APIUpload(
      length: length, isRepeatable: isRepeatable,
      holdsSecret: { [self] in await holdsSecret() }
    ) { [self] () throws(APIError) in
      let begun = first.withLock { first in
        defer { first = nil }
        return first
      }
      let reader = begun?.1 ?? RequestBodyReader(parts, dependencies)
      let begin = Mutex(begun?.0)
      return { () throws(APIError) in
        let read = begin.withLock { begin in
          defer { begin = nil }
          return begin
        }
        if let read { return read }
        do { return try await reader.next() } catch {
          self.problem.withLock { $0 = error }
          throw APIError(.file, APIRequestProblem(error)?.message ?? "\(error)")
        }
      }
    }
    return isRepeatable
  }

  /// The error for a file whose size has changed since it was announced.
  var sizeError: APIError {
    let files = parts.compactMap { part in
      if case .file(_, let shown) = part { shown } else { nil }
    }
    let names = files.count == 1 ? files[0] : "one of \(files.joined(separator: ", "))"
    return APIError(
      .file,
      "\(names) changed its size while it was sent: send it again when nothing writes to it")
  }

  /// Reads the whole body again. Returns `true` if it contains a secret or cannot be read.
  private func holdsSecret() async -> Bool {
    let redactor = dependencies.logger.redactor
    guard redactor.hasSecrets else { return false }
    let reader = RequestBodyReader(parts, dependencies)
    var end: [UInt8] = []
    do {
      while let piece = try await reader.next() {
        let bytes = end + piece
        if !redactor.mask(bytes).names.isEmpty { return true }
        // Longer than every form of the largest secret that a keychain can store.
        end = Array(bytes.suffix(1 << 18))
      }
    } catch {
      return true
    }
    return false
  }
}

/// Reads the parts of a body, one after the other.
actor RequestBodyReader {
  private var parts: ArraySlice<RequestBody.Part>
  private var inputs: ArraySlice<FileInput>
  private let dependencies: Dependencies
  private var current: (input: FileInput, shown: String)?
  /// The last bytes read from the current file.
  private var end = Data()
  /// The number of bytes read from the current file.
  private var count = 0

  /// - Parameter inputs: The files that are already open.
  init(_ parts: [RequestBody.Part], _ dependencies: Dependencies, _ inputs: [FileInput] = []) {
    self.parts = parts[...]
    self.dependencies = dependencies
    self.inputs = inputs[...]
  }

  func next() async throws -> Data? {
    while true {
      if let (input, shown) = current {
        if let piece = try await input.next() {
          try refuseMarks(piece, shown)
          return piece
        }
        current = nil
        end = Data()
        count = 0
      }
      switch parts.popFirst() {
      case nil: return nil
      case .data(let data): if !data.isEmpty { return data }
      case .file(let path, let shown):
        if let input = inputs.popFirst() {
          current = (input, shown)
        } else {
          current = (try await dependencies.files.input(path), shown)
        }
      }
    }
  }

  private func refuseMarks(_ piece: Data, _ shown: String) throws {
    let length = RedactionMark.longest
    count += piece.count
    if !end.isEmpty { try refuse(end + piece.prefix(length), shown) }
    try refuse(piece, shown)
    end = (end + piece.suffix(length)).suffix(length)
  }

  /// Throws if the piece contains a mark, including an escaped one. In a long file, where a full
  /// search would take longer than sending, escaped marks are only found if the word of the mark is
  /// not escaped. The size of the pieces does not matter: those of a pipe are small.
  private func refuse(_ piece: Data, _ shown: String) throws {
    if count >= FileInput.pieceSize, !RedactionMark.hasWord(in: piece) { return }
    let mark = RedactionMark.first(inAnyFormIn: String(decoding: piece, as: UTF8.self))
    try APIRequestProblem.refuseMarks(mark?.quotable(by: dependencies.logger.redactor), in: shown)
  }
}
