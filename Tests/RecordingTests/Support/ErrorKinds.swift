import SwiftBoardRecording

// The names of errors' cases, for tests that ask for nothing else of them.

extension LogReadError {
  var kind: String {
    switch self {
    case .damage: "damage"
    case .missing: "missing"
    case .changed: "changed"
    case .io: "io"
    case .file(_, let error): error.kind
    case .broken: "broken"
    case .gap: "gap"
    case .cancelled: "cancelled"
    }
  }
}

extension ReplayError {
  var kind: String {
    switch self {
    case .unreadable(let error): error.kind
    case .foreign: "foreign"
    case .impossible: "impossible"
    case .risky: "risky"
    case .diverged: "diverged"
    case .encoding: "encoding"
    case .noStep: "noStep"
    case .unreachable: "unreachable"
    case .noMark: "noMark"
    case .speed: "speed"
    case .idleLimit: "idleLimit"
    }
  }
}

extension RecordingError {
  var kind: String {
    switch self {
    case .exists: "exists"
    case .busy: "busy"
    case .failed: "failed"
    case .changed: "changed"
    case .io: "io"
    case .unwritable: "unwritable"
    case .encoding: "encoding"
    case .header: "header"
    case .attached: "attached"
    case .closing: "closing"
    case .state: "state"
    case .unreadable(let error): error.kind
    case .withheld: "withheld"
    case .noStep: "noStep"
    }
  }
}
