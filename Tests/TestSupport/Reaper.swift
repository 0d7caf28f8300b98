import SwiftBoardSystem
import Synchronization

/// How a child ended.
public enum ExitStatus: Sendable, Equatable, CustomStringConvertible {
  case exited(Int32)
  case signaled(Int32)

  /// As a shell gives it: the exit code, or 128 and the signal's number.
  public var code: Int32 {
    switch self {
    case .exited(let code): code
    case .signaled(let signal): 128 + signal
    }
  }

  public var description: String {
    switch self {
    case .exited(let code): "exit \(code)"
    case .signaled(let signal): "signal \(signal)"
    }
  }
}

/// A started child: its end, and signals that cannot hit another process that got the same number.
final class Reaper: Sendable {
  private let child: pid_t
  private let reaped = Mutex(false)
  private let end = EventLog<ExitStatus>()

  init(_ child: ChildProgram) {
    self.child = child.id
    DetachedThread.start { self.watch() }
  }

  var processID: pid_t { child }

  func signal(_ number: Int32) {
    reaped.withLock { if !$0 { _ = kill(child, number) } }
  }

  func status() async -> ExitStatus {
    await end.first { $0.first } ?? .exited(-1)
  }

  private func watch() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0 {
      if errno != EINTR { break }
    }
    var raw: Int32 = 0
    reaped.withLock {
      while waitpid(child, &raw, 0) < 0, errno == EINTR {}
      $0 = true
    }
    let signal = raw & 0x7f
    end.append(signal == 0 ? .exited((raw >> 8) & 0xff) : .signaled(signal))
  }
}
