import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

@testable import SwiftBoardCommandLine

struct TerminalModesTests {
  @Test("what was typed of a secret and not read is discarded, and other input stays")
  func discardedInput() throws {
    for discardsInput in [true, false] {
      let pseudoTerminal = try PseudoTerminal()
      defer { close(pseudoTerminal.user) }
      let terminal = open(pseudoTerminal.path, O_RDWR | O_NOCTTY | O_CLOEXEC)
      defer { close(terminal) }
      // By characters, so that the terminal says when it has what was typed.
      var modes = termios()
      try #require(tcgetattr(terminal, &modes) == 0)
      modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
      try #require(tcsetattr(terminal, TCSANOW, &modes) == 0)
      let saved = TerminalModes(discardsInput: discardsInput)
      #expect(saved.save(terminal))
      pseudoTerminal.type("half of a secret")
      var request = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      #expect(poll(&request, 1, -1) == 1)
      saved.restore()
      // Real time: none, since this does not wait.
      #expect(poll(&request, 1, 0) == (discardsInput ? 0 : 1))
    }
  }
}
