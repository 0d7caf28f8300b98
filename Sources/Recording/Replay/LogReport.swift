import SwiftBoardJSON
import SwiftBoardSystem

// Reports for programs that collect test results.

extension LogVerification.Report {
  /// Returns the report as TAP version 14: a test point for each file, and a block with position
  /// and reason for each failure.
  ///
  /// - Parameter exitCode: Returns the exit code of the program for an error.
  public func tap(exitCode: (ReplayError) -> Int32) -> String {
    var lines = ["TAP version 14", "1..\(results.count)"]
    for (index, result) in results.enumerated() {
      let name = LogVerification.tapName(result.path)
      switch result.outcome {
      case .success(let summary):
        lines.append("ok \(index + 1) - \(name)")
        lines.append("  ---")
        lines.append("  steps: \(summary.steps)")
        lines.append("  duration_ms: \(result.elapsed.milliseconds)")
        // A key occurs once in a block of YAML.
        if !summary.warnings.isEmpty { lines.append("  warnings:") }
        for warning in summary.warnings {
          lines.append("    - \(JSON.string(warning.description).asciiText)")
        }
        lines.append("  ...")
      case .failure(let error):
        lines.append("not ok \(index + 1) - \(name)")
        lines.append("  ---")
        lines.append("  message: \(JSON.string(error.title).asciiText)")
        lines.append("  severity: fail")
        lines.append("  exit: \(exitCode(error))")
        lines.append("  duration_ms: \(result.elapsed.milliseconds)")
        if case .diverged(let divergence) = error {
          lines.append("  at:")
          lines.append("    file: \(JSON.string(result.path).asciiText)")
          lines.append("    line: \(divergence.line)")
          lines.append("  step: \(divergence.step)")
          lines.append("  action: \(JSON.string(StateDiff.text(divergence.action)).asciiText)")
        }
        lines.append("  details:")
        for line in error.description.split(separator: "\n") {
          lines.append("    - \(JSON.string(String(line)).asciiText)")
        }
        lines.append("  ...")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// The report as JUnit XML, with a test case for each file. A difference is a failure, and a file
  /// that cannot be replayed is an error.
  public var junit: String {
    let errors = results.filter { result in
      if case .failure(let error) = result.outcome { !error.isDifference } else { false }
    }
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<testsuites>"#,
      #"  <testsuite name="recordings" tests="\#(results.count)" failures="\#(failures.count - errors.count)" errors="\#(errors.count)" time="\#(elapsed.secondsText)">"#,
    ]
    for result in results {
      let name = result.path.escapedForXML()
      let head =
        #"    <testcase classname="recordings" name="\#(name)" time="\#(result.elapsed.secondsText)""#
      switch result.outcome {
      case .success: lines.append(head + "/>")
      case .failure(let error):
        let tag = error.isDifference ? "failure" : "error"
        lines.append(head + ">")
        lines.append(
          #"      <\#(tag) message="\#(error.title.escapedForXML())" type="\#(error.kind)">\#(error.description.escapedForXML())</\#(tag)>"#
        )
        lines.append("    </testcase>")
      }
    }
    return (lines + ["  </testsuite>", "</testsuites>"]).map { $0 + "\n" }.joined()
  }
}

extension LogVerification {
  /// Returns a description of a test point, escaped so that nothing begins a directive.
  static func tapName(_ path: String) -> String {
    var name = ""
    for scalar in path.unicodeScalars {
      switch scalar {
      case "#", "\\":
        name += "\\"
        name.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0x7F: name += "?"
      default: name.unicodeScalars.append(scalar)
      }
    }
    return name
  }
}

extension ReplayError {
  /// The first line of the description.
  fileprivate var title: String {
    description.split(separator: "\n").first.map(String.init) ?? ""
  }

  fileprivate var kind: String {
    switch self {
    case .unreadable: "unreadable"
    case .foreign: "foreign"
    case .impossible: "impossible"
    case .risky: "risky"
    case .diverged: "diverged"
    case .encoding: "encoding"
    case .noStep: "noStep"
    case .unreachable: "unreachable"
    case .noMark: "noMark"
    case .speed, .idleLimit: "noPace"
    }
  }

  /// Whether the log was read completely and differs from the program.
  fileprivate var isDifference: Bool {
    switch self {
    case .risky, .diverged, .unreachable: true
    case .unreadable, .foreign, .impossible, .encoding, .noStep, .noMark, .speed, .idleLimit: false
    }
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }

  /// The duration in seconds with three decimal places.
  fileprivate var secondsText: String {
    let digits = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits
  }
}
