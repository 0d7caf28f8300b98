import SwiftBoardSystem
import Synchronization

/// Draws graphs with Graphviz's `dot`, and opens the pictures with the programs of the desktop.
struct LiveGraphViewer: Sendable {
  /// The file of the last picture.
  var picture: String
  /// The environment variables. `BROWSER` has commands that open the picture, separated by colons,
  /// in which `%s` is the picture. Without it, the desktop's program for SVG opens it.
  let variables: [String: String]
  /// The program that draws: its name, or its path.
  var program = "dot"
  /// The time in milliseconds after which a viewer that still runs has not failed.
  var patience: Int32 = 1000

  /// Draws a graph, a text in the language of Graphviz, and opens the picture. Waits for `dot`
  /// until the task is cancelled, and does not wait for the viewer.
  ///
  /// - Returns: The path of the picture, which replaces the previous one.
  func show(_ text: String) async throws(GraphError) -> String {
    guard ChildProgram.isInstalled(program) else { throw .notInstalled }
    let message = try await DetachedThread.runInterruptibly {
      (interruption) throws(GraphError) -> String? in
      do throws(SystemError) {
        return try draw(text, interruption)
      } catch {
        throw .file(FileError(picture, "written", error.code))
      }
    }
    if let message { throw .failed(program: "dot", message: message) }
    try await DetachedThread.run { () throws(GraphError) in try open() }
    return picture
  }

  /// Writes the picture. Returns the message of `dot` if it failed.
  private func draw(
    _ text: String, _ interruption: Interruption
  ) throws(SystemError) -> String? {
    let system = FileSystem()
    try system.makeFolders(PathComponents(picture).folder)
    let file = try TemporaryFile(for: picture, system: system)
    var isDrawn = false
    defer { if !isDrawn { file.discard() } }
    let (input, errors) = (try Descriptor.pipe(), try Descriptor.pipe())
    defer { close(errors.read) }
    let child: ChildProgram
    do throws(SystemError) {
      defer {
        close(input.read)
        close(errors.write)
      }
      child = try ChildProgram(
        [program, "-Tsvg"], input: input.read, output: file.file.number, error: errors.write)
    } catch {
      close(input.write)
      throw error
    }
    // `dot` may write to its standard error before it has read everything.
    DetachedThread.start(blocksSignals: true) {
      var text = text
      text.withUTF8 { try? Descriptor.write(input.write, UnsafeRawBufferPointer($0)) }
      close(input.write)
    }
    var message: [UInt8] = []
    do throws(SystemError) {
      while true {
        let bytes = try interruption.read(errors.read, atMost: 4096)
        if bytes.isEmpty { break }
        if message.count < 4096 { message += bytes }
      }
    } catch {
      // Its output is not used: nothing is lost.
      child.endNow()
      _ = child.wait()
      throw error
    }
    let code = child.wait()
    guard code == 0 else {
      let first = String(decoding: message, as: UTF8.self).split(separator: "\n").first
      return first.map(String.init) ?? "it ended with code \(code)"
    }
    isDrawn = true
    try file.publish(as: picture, replaces: true)
    return nil
  }

  /// The commands that open the picture, in the order in which they are tried.
  private var commands: [[String]] {
    let browsers = (variables["BROWSER"] ?? "").split(separator: ":").map { command in
      let words = command.split(separator: " ").map(String.init)
      return words.contains { $0.contains("%s") }
        ? words.map { $0.replacing("%s", with: picture) } : words + [picture]
    }
    return browsers.isEmpty ? [[ChildProgram.fileOpener, picture]] : browsers
  }

  private func open() throws(GraphError) {
    var failure: GraphError?
    for command in commands {
      guard let code = try? run(command) else { continue }
      if code == 0 { return }
      failure = .failed(program: command[0], message: "it ended with code \(code)")
    }
    throw failure ?? .noViewer(picture: picture)
  }

  /// Starts a program that outlives this one and has no terminal.
  ///
  /// - Returns: Its exit code, or 0 if it still runs after `patience`.
  private func run(_ command: [String]) throws(SystemError) -> Int32 {
    let null = try FileSystem().open("/dev/null", O_RDWR)
    // Before the program starts, which must be waited for once it has.
    let end = try Descriptor.pipe()
    defer { close(end.read) }
    let child: ChildProgram
    do throws(SystemError) {
      child = try ChildProgram(
        command, input: null.number, output: null.number, error: null.number, session: .ownGroup)
    } catch {
      close(end.write)
      throw error
    }
    let code = Mutex<Int32>(0)
    DetachedThread.start {
      let ended = child.wait()
      code.withLock { $0 = ended }
      close(end.write)
    }
    _ = Descriptor.waitForInput([end.read], milliseconds: patience)
    return code.withLock { $0 }
  }
}
