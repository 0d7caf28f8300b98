@testable import SwiftBoardRecording

extension LogLine {
  /// Returns the bytes of a log with these lines, including sums.
  static func encode(_ lines: some Sequence<LogLine>) -> [UInt8] {
    var bytes: [UInt8] = []
    var chain = HashChain()
    for line in lines {
      let start = bytes.count
      line.appendBody(to: &bytes)
      chain.appendChecksum(&bytes, from: start)
    }
    return bytes
  }

  private func appendBody(to bytes: inout [UInt8]) {
    switch self {
    case .header(let header):
      header.appendBody(to: &bytes, state: canonical(header.state)[...])
    case .step(let step):
      var line = ByteBuffer()
      step.actionBytes.withUnsafeBufferPointer { action in
        LogStep.appendBody(
          to: &line, n: step.n, t: step.t, origin: step.origin, draws: step.draws,
          effects: step.effects, digest: step.digest, action: action)
      }
      bytes.append(contentsOf: line.bytes())
      bytes.append(step.extra)
    case .issue(let issue): issue.appendBody(to: &bytes)
    case .mark(let mark): mark.appendBody(to: &bytes)
    case .snapshot(let snapshot):
      LogSnapshot.appendBody(
        to: &bytes, n: snapshot.n, digest: snapshot.digest, state: canonical(snapshot.state)[...])
      bytes.append(snapshot.extra)
    case .end(let end): bytes.append(contentsOf: end.body)
    case .unknown(let kind, let members):
      bytes.append(literal: #"{"k":"#)
      appendQuoted(kind, to: &bytes)
      bytes.append(members)
    }
  }
}
