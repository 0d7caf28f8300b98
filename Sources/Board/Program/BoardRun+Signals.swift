import SwiftBoardCommandLine

/// What signals do.
extension BoardRun {
  /// Limits the time to the end of the program, if the signal ends it. All that follows may wait
  /// for output that is not taken.
  func limitEnd(by signal: Signal, _ board: Board, _ redirects: RedirectFiles) {
    switch signal {
    case .interrupt where isInteractive || output.pager?.isRunning == true: return
    case .windowChanged, .continued: return
    default: break
    }
    signalEnd.limit(signal) {
      board.stopRecording()
      redirects.closeAll()
    }
  }

  /// Drops what is typed ahead, and what is still to be written of results of interrupted commands.
  /// It happens when the signal arrives: tasks may have no thread to run on while the terminal
  /// takes no output. Never blocks.
  func dropPending(of jobs: [Int]) {
    // The lines behind the running one were typed without knowing that it would be interrupted.
    // Dropped first, because the next line may begin as soon as this one ends.
    editor?.dropTypedAhead()
    output.cutResults(of: jobs)
  }

  func answer(
    _ signal: Signal, _ board: Board, _ session: LineExecutor, _ reader: PlainLineReader,
    _ redirects: RedirectFiles
  ) {
    guard !signalEnd.hasBegun else { return }
    switch signal {
    case .interrupt:
      let interrupted = session.interrupt(dropPending)
      // The pager has the terminal.
      if output.pager?.isRunning == true { return }
      switch interrupted {
      case .command where isInteractive, .line where isInteractive: return
      case .nothing where isInteractive:
        if let editor { editor.interrupt() } else { reader.interrupt() }
        return
      // The lines end with the command, and a line between two commands ends itself.
      case .command, .line: return
      case .nothing: break
      }
    case .windowChanged:
      if let width = terminal.outputWidth { board.resizeRunning(to: width) }
      editor?.resize()
      return
    case .continued:
      // A stopped program is not told of a new size.
      showWidth(on: board)
      if let editor { editor.continueAfterStop() } else { reader.continueAfterStop() }
      return
    default: break
    }
    output.pager?.terminate()
    if signal != .interrupt { editor?.finish() }
    signalEnd.begin(signal) {
      await board.close()
      redirects.closeAll()
    }
  }

  /// Lets further output fit the present width of the terminal.
  private func showWidth(on board: Board) {
    if let width = terminal.outputWidth { board.resize(to: width) }
  }
}
