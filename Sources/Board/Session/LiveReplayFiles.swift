import SwiftBoardDependencies
import Synchronization

/// The files of `> FILE` and `>> FILE` in a live replay, which later lines may read.
///
/// They are written when the commands end, as the recorded lines wrote them. Pipes and devices are
/// left out: nobody may read them now.
final class LiveReplayFiles: Sendable {
  private struct State {
    /// The output of the present step.
    var outputs: [BoardOutput] = []
    /// The files of `source FILE > FILE`, whose lines write into them.
    var sourced: [CommandContext.Redirect] = []
    var warnings: [String] = []
  }

  private let redirects: RedirectFiles
  private let state = Mutex(State())

  /// - Parameter files: Rejects files that must not be written.
  init(_ files: any FileService) {
    redirects = RedirectFiles(files: files) { _ in }
  }

  /// Why files were not written.
  var warnings: [String] { state.withLock { $0.warnings } }

  /// Adds output of the present step, before `note`.
  func add(_ output: BoardOutput) {
    guard output.redirect != nil, output.stream == .standardOutput else { return }
    state.withLock { $0.outputs.append(output) }
  }

  /// Writes the output of a step to its files. Blocks.
  func note(_ action: BoardAction, _ board: borrowing BoardState) {
    if let context = action.started { open(context, action) }
    let outputs = state.withLock { state in
      defer { state.outputs = [] }
      return state.outputs
    }
    for output in outputs { redirects.write(output.bytes, job: output.job) }
    if let finished = board.shell.finished {
      warn(redirects.close(finished.context.job, status: finished.status), finished.context)
    }
  }

  /// Closes the files of commands that have not ended.
  func closeAll() { redirects.closeAll() }

  private func open(_ context: CommandContext, _ action: BoardAction) {
    let isInSource = state.withLock { state in
      if context.isSourced != true, context.round == nil { state.sourced = [] }
      guard let redirect = context.redirect else { return false }
      let isInSource = context.isSourced == true && state.sourced.contains(redirect)
      if !isInSource, case .shell(.run(_, .source)) = action { state.sourced.append(redirect) }
      return isInSource
    }
    guard let redirect = context.redirect else { return }
    if let watch = context.round { return redirects.lend(watch, to: context.job) }
    let failure = redirects.openFile(
      redirect.file, appends: redirect.appends || isInSource, job: context.job)
    warn(failure, context)
  }

  private func warn(_ failure: Failure?, _ context: CommandContext) {
    guard let failure else { return }
    state.withLock {
      $0.warnings.append("the output of '\(context.text)' was not written: \(failure.message)")
    }
  }
}
