import SwiftBoardSystem
import Testing

@testable import SwiftBoardCommandLine

/// A pipe. Its reader closes its end.
private struct TestPipe: Sendable {
  let read: Int32
  private let write: Int32

  init() throws {
    (read, write) = try Descriptor.pipe()
  }

  /// Lines from it; it is closed with the source.
  func source(_ file: String? = nil) -> DescriptorLineSource {
    DescriptorLineSource(descriptor: read, file: file, closes: true)
  }

  func send(_ text: String) { send(Array(text.utf8)) }
  func send(_ bytes: [UInt8]) { bytes.withUnsafeBytes { try? Descriptor.write(write, $0) } }

  /// The end, once all is sent.
  func finish() { close(write) }
}

private func texts(_ bytes: [UInt8]) async throws -> [String] {
  let pipe = try TestPipe()
  pipe.send(bytes)
  pipe.finish()
  let source = pipe.source("p")
  var lines: [String] = []
  while case .line(let line) = try await source.next(isContinuation: false) {
    lines.append(
      "\(line.location.line) \(line.text)\(line.problem.map { " ! \($0.message)" } ?? "")")
  }
  return lines
}

struct LineSourceTests {
  @Test("line ends")
  func lineEnds() async throws {
    #expect(try await texts([]) == [])
    #expect(try await texts(Array("a\n\nb".utf8)) == ["1 a", "2 ", "3 b"])
    #expect(try await texts(Array("a\r\nb\r\n".utf8)) == ["1 a", "2 b"])
    #expect(try await texts(Array("a\rb\n".utf8)) == ["1 a\rb"])
    #expect(try await texts([0xEF, 0xBB, 0xBF] + Array("a\nb".utf8)) == ["1 a", "2 b"])
  }

  @Test("only a line feed ends a line of a list, with or without a carriage return")
  func lineEndsOfList() async throws {
    let text = "a\u{2028}b\u{2029}\u{85}\u{B}\u{C}c\rd"
    let source = ListLineSource([text + "\r\ne\n", "f"], file: "-c")
    var lines: [String] = []
    while case .line(let line) = try await source.next(isContinuation: false) {
      lines.append("\(line.location.line) \(line.text)")
    }
    #expect(lines == ["1 " + text, "2 e", "3 ", "4 f"])
  }

  @Test(
    "a line beyond the limit is an error, whether its end was read or not", arguments: [10, 11])
  func limit(count: Int) throws {
    for end in ["", "\nnext\n"] {
      var buffer = LineBuffer(limit: 10)
      buffer.append(Array("first\n".utf8))
      #expect(try buffer.next(file: "x")?.text == "first")
      buffer.append(Array((String(repeating: "0", count: count) + end).utf8))
      if end.isEmpty { buffer.append([]) }
      if count == 10 {
        #expect(try buffer.next(file: "x")?.text == "0000000000")
      } else {
        let error = #expect(throws: LineSourceError.self) { try buffer.next(file: "x") }
        #expect(error?.kind == .malformedData)
        #expect(error?.message == "x:2: a line of more than 10 bytes")
      }
    }
  }

  @Test("invalid UTF-8 is named by its offset, and the next line is read")
  func invalid() async throws {
    let lines = try await texts(Array("ab\né".utf8) + [0xFF, 0x0A] + Array("c".utf8))
    #expect(
      lines == ["1 ab", "2 é\u{FFFD} ! invalid UTF-8: byte 0xff at offset 5", "3 c"])
    for bytes: [UInt8] in [
      [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0x80], [0xF4, 0x90, 0x80, 0x80],
    ] {
      let shown = try await texts([0x61] + bytes)
      #expect(shown.first?.hasSuffix("at offset 1") == true, "\(shown)")
    }
  }

  @Test("a pipe's line is returned before the next one is written")
  func lineByLine() async throws {
    let pipe = try TestPipe()
    pipe.send("line 1\n")
    let source = pipe.source()
    // Each line is written only after the one before it: reading ahead would wait for ever.
    var count = 0
    while case .line(let line) = try await source.next(isContinuation: false) {
      count += 1
      #expect(line.text == "line \(count)")
      if count == 50 { pipe.finish() } else { pipe.send("line \(count + 1)\n") }
    }
    #expect(count == 50)
  }

  @Test("a line of megabytes, in pieces")
  func long() async throws {
    let pipe = try TestPipe()
    let text = String(repeating: "é", count: 1 << 20)
    DetachedThread.start {
      pipe.send(text + "\nend")
      pipe.finish()
    }
    let source = pipe.source()
    guard case .line(let first) = try await source.next(isContinuation: false),
      case .line(let second) = try await source.next(isContinuation: false)
    else {
      Issue.record("no lines")
      return
    }
    #expect(first.text == text)
    #expect(second.text == "end")
    #expect(try await source.next(isContinuation: false) == .end)
    #expect(try await source.next(isContinuation: false) == .end)
  }

  @Test("files that do not exist, and others that cannot be read")
  func missing() async throws {
    for path in ["/nonexistent/x.sb", "/dev/null/x.sb", "", "a\0b"] {
      let error = await #expect(throws: LineSourceError.self) {
        try await DescriptorLineSource.file(path)
      }
      #expect(error?.kind == .missing)
    }
    let name = String(repeating: "x", count: 300)
    for (path, code) in [("/\(name)", ENAMETOOLONG), ("/", EISDIR)] {
      let error = await #expect(throws: LineSourceError.self) {
        try await DescriptorLineSource.file(path)
      }
      #expect(error?.kind == .io)
      #expect(error?.message == "cannot open \(path): \(SystemError.text(of: code))")
    }
  }

  @Test("a plain reader shows its prompt, reads lines, can be interrupted")
  func plainReader() async throws {
    let input = try TestPipe()
    let output = try Descriptor.pipe()
    defer {
      close(input.read)
      close(output.read)
      close(output.write)
    }
    let reader = PlainLineReader(input: input.read, output: output.write)
    input.send("one\ntwo\n")
    #expect(try await reader.readLine(prompt: "> ") == .line("one"))
    #expect(try await reader.readLine(prompt: "> ") == .line("two"))
    async let waiting = reader.readLine(prompt: "? ")
    reader.interrupt()
    #expect(try await waiting == .interrupted(hadText: false))
    input.send("three")
    input.finish()
    #expect(try await reader.readLine(prompt: "> ") == .line("three"))
    #expect(try await reader.readLine(prompt: "> ") == .endOfInput)
    #expect(
      String(decoding: try Descriptor.read(output.read, atMost: 99), as: UTF8.self) == "> > ? > > ")
  }
}

struct StandardOutputTests {
  @Test("writes all, at once")
  func writes() throws {
    let pipe = try Descriptor.pipe()
    defer { close(pipe.read) }
    let output = StandardOutput(descriptor: pipe.write)
    try output.write("é\n")
    #expect(try Descriptor.read(pipe.read, atMost: 9) == Array("é\n".utf8))
    try output.write("")
    close(pipe.write)
  }

  @Test("a large text through a pipe that does not block")
  func large() async throws {
    let pipe = try Descriptor.pipe()
    _ = fcntl(pipe.write, F_SETFL, O_NONBLOCK)
    let text = String(repeating: "0123456789", count: 100_000)
    async let count = DetachedThread.run { () -> Int in
      var count = 0
      while let bytes = try? Descriptor.read(pipe.read, atMost: 4096), !bytes.isEmpty {
        count += bytes.count
      }
      return count
    }
    let result = await DetachedThread.run { () -> Bool in
      defer { close(pipe.write) }
      return (try? StandardOutput(descriptor: pipe.write).write(text)) != nil
    }
    #expect(result)
    #expect(await count == 1_000_000)
    close(pipe.read)
  }

  @Test("a closed pipe and a full disk are told apart")
  func failures() throws {
    SignalSource.ignoreFailedWrites()
    let pipe = try Descriptor.pipe()
    close(pipe.read)
    let closed = #expect(throws: OutputError.self) {
      try StandardOutput(descriptor: pipe.write).write("x")
    }
    #expect(closed == .closed)
    close(pipe.write)
    #if os(Linux)
      let full = open("/dev/full", O_WRONLY)
      let error = #expect(throws: OutputError.self) {
        try StandardOutput(descriptor: full).write("x")
      }
      #expect(error.map { "\($0)" } == "cannot write the output: No space left on device")
      close(full)
    #endif
  }
}
