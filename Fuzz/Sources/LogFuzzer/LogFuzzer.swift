import SwiftBoardJSON
import SwiftBoardRecording
import SwiftBoardStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One input, judged by what must hold for any bytes whatever. The first byte chooses what is
/// tried.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let rest = Array(input.dropFirst())
  switch input[0] % 4 {
  case 0: readAndReplay(rest)
  case 1: readAndReplay(sealed(rest))
  case 2: evaluate(rest)
  default: scan(rest)
  }
  return 0
}

/// A defect: stops the fuzzer, which keeps the input.
func require(_ condition: Bool, _ message: @autoclosure () -> String, line: UInt = #line) {
  if !condition { fatalError("line \(line): \(message())") }
}

/// Any bytes give lines and then the end or one error; a log that reads replays, or says why not;
/// and every reader agrees.
func readAndReplay(_ bytes: [UInt8]) {
  let file = LogFile(bytes: bytes)
  var lines: [LogLine] = []
  var failure: LogReadError?
  do throws(LogReadError) {
    let reader = try file.reader()
    while let entry = try reader.next() { lines.append(entry.line) }
  } catch {
    failure = error
    if case .damage = error {} else { require(false, "bytes in memory: \(error)") }
  }
  var limits = LogReader.Limits()
  limits.chunk = 1 + bytes.count / 7
  let narrow = LogReader(BytesSource(bytes), limits: limits)
  var count = 0
  do throws(LogReadError) {
    while let entry = try narrow.next() {
      require(count < lines.count && entry.line == lines[count], "chunks change what is read")
      count += 1
    }
    require(failure == nil && count == lines.count, "chunks change where the log ends")
  } catch {
    require(error == failure && count == lines.count, "chunks change the error")
  }

  let quick = verified(bytes)
  do throws(ReplayError) {
    let summary = try makeReplayer().replay(
      RotatedLog(file), acceptRisk: true)
    require(failure == nil, "a damaged log was replayed")
    let steps = lines.reduce(0) { if case .step = $1 { $0 + 1 } else { $0 } }
    require(summary.steps == steps, "steps were lost")
    require(quick == steps, "verifying finds something else than replaying")
  } catch {
    require(quick == nil, "what does not replay was verified")
    if let failure {
      guard case .unreadable(let found) = error else {
        // What does not decode may stand before the damage.
        switch error {
        case .foreign, .impossible: return
        default: return require(false, "damage was taken for \(error)")
        }
      }
      return require(found == failure, "another damage")
    }
    _ = error.description
  }
  if failure == nil { navigator(file, lines) }
}

/// The steps that `verify` finds, which goes another way through a file than `replay` does.
func verified(_ bytes: [UInt8]) -> Int? {
  let path = "/tmp/log-fuzzer-\(getpid())"
  let descriptor = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0o600)
  require(descriptor >= 0, "no file")
  _ = write(descriptor, bytes, bytes.count)
  close(descriptor)
  return try? makeReplayer().verify(path: path, acceptRisk: true).steps
}

func navigator(_ file: LogFile, _ lines: [LogLine]) {
  var options = LogNavigator<CounterReducer>.Options()
  options.acceptRisk = true
  options.snapshots = 2
  if let navigator = try? LogNavigator(file, replayer: makeReplayer(), options: options) {
    let last = navigator.stepCount
    let state = try? navigator.state(at: last)
    require(state != nil, "the last state cannot be visited")
    _ = try? navigator.state(at: 0)
    require((try? navigator.state(at: last)) == state, "the way changes the state")
    _ = try? navigator.diff(0, last)
  }
  if let timeline = try? LogTimeline(file) {
    do throws(LogReadError) {
      while let entry = try timeline.next() { _ = entry }
    } catch {
      require(false, "a log that reads has no timeline: \(error)")
    }
  }
}

/// Lines of the input with right sums, so that what lies behind the sums is reached.
func sealed(_ bytes: [UInt8]) -> [UInt8] {
  var output: [UInt8] = []
  var previous: [UInt8] = []
  for line in bytes.split(separator: 0x0A) {
    var body = Array(line)
    let tail = #","sum":"xxh64:0000000000000000"}"#.utf8.count
    if body.count > tail, body.suffix(tail).starts(with: #","sum":""#.utf8) {
      body.removeLast(tail)
    }
    let sum = Array(Digest(of: previous + body).description.utf8)
    output += body + Array(#","sum":""#.utf8) + sum + Array("\"}\n".utf8)
    previous = sum
  }
  return output
}

/// Any text is a condition or has one error; joined with itself, a condition keeps its answer.
func evaluate(_ bytes: [UInt8]) {
  let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
  let text = String(decoding: parts[0], as: UTF8.self)
  let state: JSON =
    (parts.count > 1 ? try? JSON(parsing: parts[1]) : nil)
    ?? ["a": 1, "b": ["c": [1, 2.5, "x", nil, true]], "s": "text"]
  do throws(JSONConditionError) {
    let condition = try JSONCondition(parsing: text)
    let value = condition.holds(for: state)
    for word in ["and", "or"] {
      let twice = try? JSONCondition(parsing: "\(text) \(word) \(text)")
      require(twice?.holds(for: state) == value, "'\(word)' of the same changes the answer")
    }
  } catch {
    require(error.column >= 1 && error.column <= text.count + 1, "column \(error.column)")
    require(error.length >= 1, "length \(error.length)")
    _ = error.description
  }
}

/// A single line behind a header that is right.
func scan(_ bytes: [UInt8]) {
  let state = Array(#"{"count":0,"rolls":[]}"#.utf8)
  let header =
    #"{"k":"log","version":1,"program":"counter 1.0","feature":"counter","schema":{"name":"CounterAction","version":1},"#
    + #""created":"2026-11-20T22:45:00.000000Z","environment":"mock","locale":"C","timeZone":"UTC","seed":"1","state":"#
    + String(decoding: state, as: UTF8.self) + #","digest":"\#(Digest(of: state))","redacted":[]"#
  readAndReplay(sealed(Array(header.utf8) + [0x0A] + bytes))
}
