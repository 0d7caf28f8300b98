import SwiftBoardSystem
import Synchronization

/// A program that runs beside the test, joined to it by pipes. Its output is read as it comes.
///
/// Dropping the value closes the program's input and kills it.
public final class ChildProcess: Sendable {
  public struct Outcome: Sendable {
    public var status: ExitStatus
    public var output: [UInt8]
    public var error: [UInt8]

    /// The output as text; what is not UTF-8 is replaced.
    public var outputText: String { String(decoding: output, as: UTF8.self) }
    /// The error output as text; what is not UTF-8 is replaced.
    public var errorText: String { String(decoding: error, as: UTF8.self) }
  }

  private let reaper: Reaper
  private let input: Mutex<Int32?>
  private let outputLog = EventLog<[UInt8]>()
  private let errorLog = EventLog<[UInt8]>()

  /// Starts it.
  ///
  /// - Parameters:
  ///   - environment: all its variables; nil passes on those of the test.
  ///   - folder: where it runs; nil is the folder of the test.
  ///   - standardInput: what it gets in place of a pipe; it stays the caller's to close.
  public init(
    _ path: String, _ arguments: [String] = [], environment: [String: String]? = nil,
    folder: String? = nil, standardInput: Int32? = nil
  ) throws {
    // Writing to a child that has ended is an answer (false), not the end of the test run.
    _ = brokenPipesAreIgnored
    let input = try Descriptor.pipe()
    let output = try Descriptor.pipe()
    let error = try Descriptor.pipe()
    defer { for end in [input.read, output.write, error.write] { close(end) } }
    do {
      reaper = Reaper(
        try ChildProgram(
          [path] + arguments, environment: environment, folder: folder,
          input: standardInput ?? input.read, output: output.write, error: error.write,
          // A signal meant for the child never reaches the tests.
          session: .ownGroup))
    } catch let failure {
      for end in [input.write, output.read, error.read] { close(end) }
      throw failure
    }
    self.input = Mutex(input.write)
    for (descriptor, log) in [(output.read, outputLog), (error.read, errorLog)] {
      DetachedThread.start {
        while let chunk = readSome(descriptor) { log.append(chunk) }
        log.end()
        close(descriptor)
      }
    }
  }

  deinit {
    closeInput()
    reaper.signal(SIGKILL)
  }

  public var processID: Int32 { reaper.processID }

  /// Writes to its standard input, waiting while the pipe is full. False once it no longer reads.
  @discardableResult
  public func writeInput(_ bytes: [UInt8]) -> Bool {
    input.withLock { descriptor in
      guard let descriptor else { return false }
      return writeAll(descriptor, bytes)
    }
  }

  /// Writes text to its standard input.
  @discardableResult
  public func writeInput(_ text: String) -> Bool { writeInput(Array(text.utf8)) }

  /// Ends its standard input. Twice does no harm.
  public func closeInput() {
    input.withLock { descriptor in
      if let open = descriptor { close(open) }
      descriptor = nil
    }
  }

  /// Sends a signal; nothing happens when it has ended.
  public func signal(_ number: Int32) { reaper.signal(number) }

  /// What it has written so far.
  public var output: [UInt8] { outputLog.events.bytes }
  public var error: [UInt8] { errorLog.events.bytes }

  /// Waits until its output contains `text`; false when it ended without.
  @discardableResult
  public func waitForOutput(_ text: String) async -> Bool { await contains(text, outputLog) }

  /// Waits until its error output contains `text`; false when it ended without.
  @discardableResult
  public func waitForError(_ text: String) async -> Bool { await contains(text, errorLog) }

  /// Waits for its end and for the end of both outputs. Does not close its input.
  public func wait() async -> Outcome {
    let status = await reaper.status()
    let output = await end(of: outputLog)
    let error = await end(of: errorLog)
    return Outcome(status: status, output: output, error: error)
  }
}

/// Runs a program to its end with `stdin` as its whole input.
///
/// - Parameter environment: all its variables; nil passes on those of the test.
public func runProcess(
  _ path: String, _ arguments: [String] = [], stdin: [UInt8] = [],
  environment: [String: String]? = nil, folder: String? = nil
) async throws -> ChildProcess.Outcome {
  let child = try ChildProcess(path, arguments, environment: environment, folder: folder)
  DetachedThread.start {
    child.writeInput(stdin)
    child.closeInput()
  }
  return await withTaskCancellationHandler {
    await child.wait()
  } onCancel: {
    child.signal(SIGKILL)
  }
}

func contains(_ text: String, _ log: EventLog<[UInt8]>) async -> Bool {
  let wanted = Array(text.utf8)
  return await log.first { chunks in
    chunks.bytes.firstRange(of: wanted) == nil && !wanted.isEmpty ? nil : true
  } ?? false
}

func end(of log: EventLog<[UInt8]>) async -> [UInt8] {
  _ = await log.first { _ -> Bool? in log.hasEnded ? true : nil }
  return log.events.bytes
}

extension [[UInt8]] {
  /// The bytes of all chunks. Unlike `joined()`, it copies whole chunks in a debug build, too.
  var bytes: [UInt8] { reduce(into: []) { $0 += $1 } }
}

/// Done once in the test process; children start with the default again.
let brokenPipesAreIgnored: Void = { _ = signal(SIGPIPE, SIG_IGN) }()
