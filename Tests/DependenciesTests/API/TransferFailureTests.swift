import CCurl
import SwiftBoardSystem
import Testing

@testable import SwiftBoardDependencies

struct TransferFailureTests {
  @Test("what has come of an answer decides what a code of libcurl says of the service")
  func endedConnection() async throws {
    let address = try URLBuilder("https://h/")
    _ = await withCheckedContinuation { continuation in
      let transfer = Transfer(
        id: 1, request: APIRequest(url: address.url), address: address, deadline: nil,
        continuation: continuation)
      let ended = APIError.plain(CURLE_HTTP2, transfer)
      #expect(ended?.isTemporary == true)
      #expect(ended?.message.contains("ended the connection before its answer was whole") == true)
      let closed = APIError.plain(CURLE_PARTIAL_FILE, transfer)
      #expect(closed?.message == "h:443 closed the connection without an answer")
      #expect(
        APIError.plain(CURLE_OUT_OF_MEMORY, transfer)?.message.hasPrefix("memory is short, or ")
          == true)
      Array("HTTP/2 200\r\n".utf8).withUnsafeBytes { _ = transfer.receive(headerLine: $0) }
      let cut = APIError.plain(CURLE_PARTIAL_FILE, transfer)
      #expect(cut?.message.contains("before the announced end of its answer") == true)
      #expect(
        APIError.plain(CURLE_OUT_OF_MEMORY, transfer)?.message
          == "a header line of h:443 is longer than libcurl accepts")
      Array("\r\n".utf8).withUnsafeBytes { _ = transfer.receive(headerLine: $0) }
      #expect(
        APIError.plain(CURLE_OUT_OF_MEMORY, transfer)?.message.hasPrefix("memory is short, or ")
          == true)
      continuation.resume(returning: .failure(.stopped))
    }
  }

  @Test("a connection for which too many files were open was not refused by the service")
  func noSocket() async throws {
    let address = try URLBuilder("http://127.0.0.1:9/")
    let easy = try #require(EasyHandle(CurlLibrary.loaded.get()))
    _ = await withCheckedContinuation { continuation in
      let transfer = Transfer(
        id: 1, request: APIRequest(url: address.url), address: address, deadline: nil,
        continuation: continuation)
      // That of one address of several.
      transfer.noteSocketFailure(EAFNOSUPPORT)
      #expect(APIError.transfer(transfer, easy, CURLE_COULDNT_CONNECT).kind == .refused)
      transfer.noteSocketFailure(EMFILE)
      let error = APIError.transfer(transfer, easy, CURLE_COULDNT_CONNECT)
      #expect(error.kind == .unreachable)
      #expect(
        error.message
          == "127.0.0.1:9 cannot be reached: \(SystemError.text(of: EMFILE).lowercased())")
      continuation.resume(returning: .failure(.stopped))
    }
  }

  @Test("an address at an interface that this machine does not have names the interface")
  func missingInterface() async throws {
    let error = await #expect(throws: APIError.self) {
      try await LiveAPIClient().send(APIRequest(url: "http://[fe80::1%25nope0]:9/"))
    }
    #expect(
      error?.message.hasSuffix(" cannot be reached: there is no interface 'nope0'") == true,
      "\(error?.message ?? "")")
    #expect(APIError.missingInterface(of: "[fe80::1%251]") == nil)
    #expect(APIError.missingInterface(of: "[::1]") == nil)
    #expect(APIError.missingInterface(of: "nas") == nil)
  }
}
