import SwiftBoardSystem
import Synchronization
import Testing

@testable import SwiftBoardDependencies

struct RequestBodyTests {
  private static let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
  private static let refusal = APIRequestProblem.mark(secret: nil, place: "p")

  /// Returns what a reader gives of a file that is read in the pieces.
  private func read(_ pieces: [[UInt8]]) async throws -> [UInt8] {
    let rest = Mutex(pieces[...])
    let input = FileInput(size: nil, isRepeatable: false) { () throws(FileError) in
      rest.withLock { $0.popFirst() }.map { Data($0) }
    }
    let reader = RequestBodyReader([.file(path: "p", shown: "p")], .mock, [input])
    var bytes: [UInt8] = []
    while let piece = try await reader.next() { bytes += piece }
    return bytes
  }

  @Test("a mark in a long body of small pieces is refused, wherever a piece ends in it")
  func markBetweenPieces() async throws {
    let mark = Array("«secret:k»".utf8)
    let begin = [[UInt8]](repeating: Self.filler, count: 5)
    for cut in 0...mark.count {
      let end: [[UInt8]] = [Self.filler + mark[..<cut], Array(mark[cut...]) + Self.filler]
      await #expect(throws: Self.refusal, "\(cut)") { try await read(begin + end) }
    }
  }

  @Test("a long body of small pieces is searched as one of large pieces, so that it is sent fast")
  func searchOfSmallPieces() async throws {
    let begin = [[UInt8]](repeating: Self.filler, count: 4)
    let escaped = Array(#"\u00absecret:k\u00bb"#.utf8)
    let escapedWord = Array(#"\u00ab\u0073ecret:k\u00bb"#.utf8)
    await #expect(throws: Self.refusal) { try await read([escapedWord]) }
    await #expect(throws: Self.refusal) { try await read(begin + [escaped]) }
    // Only a search of all escapes finds it.
    let large = [Array(begin.joined()), escapedWord]
    #expect(try await read(large) == Array(large.joined()))
    let small = begin + [escapedWord]
    #expect(try await read(small) == Array(small.joined()))
  }
}
