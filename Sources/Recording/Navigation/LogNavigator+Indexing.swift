import SwiftBoardJSON
import SwiftBoardStore

extension LogNavigator {
  /// The first pass over a recording. It decodes every line of every file and runs nothing.
  struct Grading {
    private(set) var graders: [Replayer<R>.Grader] = []
    private(set) var warnings: [LogWarning] = []
    private var risks: [LogRisk] = []
    private var more = 0
    /// Whether all digests can be compared with those of this program's states.
    private var isComparable = true

    var grade: LogGrade { risks.isEmpty ? .fine : .risky(risks, more: more) }

    init(
      _ rotatedLog: RotatedLog, _ schema: LogSchema, _ migrations: [LogMigration],
      _ userInfo: [CodingUserInfoKey: any Sendable]
    ) throws(ReplayError) {
      for segment in rotatedLog.segments.indices {
        do throws(ReplayError) {
          try add(
            try Replayer<R>.graded(
              { () throws(LogReadError) in try rotatedLog.files[segment].reader() }, schema,
              migrations,
              userInfo),
            rotatedLog.segments[segment].stepsBefore)
        } catch {
          throw error.located(in: rotatedLog, segment)
        }
        // If a file in the middle has no end, the join with the next file reports it.
        if segment < rotatedLog.segments.count - 1 { warnings.removeAll(where: \.isAboutTheEnd) }
        guard case .risky(let found, let others) = graders[segment].grade else { continue }
        let moved = found.map { $0.located(in: rotatedLog, segment) }
        more += others + max(0, risks.count + moved.count - 20)
        risks += moved.prefix(max(0, 20 - risks.count))
      }
      if !isComparable { warnings.append(.digestsNotCompared) }
    }

    private mutating func add(
      _ graded: (grader: Replayer<R>.Grader, warnings: [LogWarning]), _ stepsBefore: Int
    ) throws(ReplayError) {
      graders.append(graded.grader)
      warnings += graded.warnings.map { $0.behind(stepsBefore) }
      isComparable = isComparable && graded.grader.digestsComparable
    }
  }

  /// The second pass over a recording. It verifies the graded files and keeps states.
  struct IndexingPass {
    private let replayer: Replayer<R>
    private let options: Options
    private(set) var index: SnapshotIndex
    private(set) var header: LogHeader?
    private(set) var marks: [LogMark] = []
    private(set) var divergence: Divergence?
    /// The last step that matched the recording.
    private(set) var steps: Int

    init(_ replayer: Replayer<R>, _ options: Options, firstStep: Int) {
      self.replayer = replayer
      self.options = options
      index = SnapshotIndex(capacity: options.snapshots, byteLimit: options.snapshotBytes)
      steps = firstStep
    }

    mutating func verify(
      _ rotatedLog: RotatedLog, _ graders: [Replayer<R>.Grader]
    ) throws(ReplayError) {
      var run = ReplayRun(replayer, graders[0], nil)
      var segment = 0
      do {
        let reader = try RotatedLogReader(rotatedLog)
        var position = reader.position
        while let entry = try reader.nextInFile() {
          if reader.segment != segment {
            segment = reader.segment
            position = RotatedLogPosition(segment: segment, inFile: nil)
            run = ReplayRun(replayer, graders[segment], after: run, nil)
          }
          let before = rotatedLog.segments[segment].stepsBefore
          try keepState(run, before: entry, at: position, before)
          try run.take(entry, reader.file)
          steps = before + run.steps
          switch entry.line {
          case .header(let line): header = header ?? line
          case .mark(var mark) where marks.count < options.marks:
            mark.n += before
            marks.append(mark)
          case .step, .issue, .mark, .snapshot, .end, .unknown: break
          }
          position = reader.position
        }
        // A log without steps.
        if index.entries.isEmpty, let state = run.state {
          index.add(
            .init(
              step: rotatedLog.firstStep, position: position,
              state: try CanonicalEncoder.encode(state)))
        }
      } catch ReplayError.diverged(let found) {
        divergence = found.located(in: rotatedLog, segment)
        steps = min(steps, rotatedLog.segments[segment].stepsBefore + found.step - 1)
      } catch let error as ReplayError {
        throw error.located(in: rotatedLog, segment)
      } catch {
        throw ReplayError(error, at: steps)
      }
    }

    /// Keeps the state before a line, if the index wants one. States that the log has are used if
    /// they are those of this program.
    private mutating func keepState(
      _ run: ReplayRun<R>, before entry: LogReader.Entry, at position: RotatedLogPosition,
      _ before: Int
    ) throws {
      switch entry.line {
      case .header where position.segment > 0:
        guard run.comparesDigest(ofStep: 0), index.wantsSnapshot(of: before) else { return }
        index.add(.init(step: before, position: position, state: nil))
      case .snapshot(let snapshot):
        guard run.comparesDigest(ofStep: snapshot.n),
          index.wantsSnapshot(of: before + snapshot.n)
        else { return }
        index.add(.init(step: before + snapshot.n, position: position, state: nil))
      case .step(let step):
        let last = before + step.n - 1
        guard index.wantsState(after: last), let state = run.state else { return }
        index.add(
          .init(step: last, position: position, state: try CanonicalEncoder.encode(state)))
      case .header, .issue, .mark, .end, .unknown: break
      }
    }
  }
}

// Errors of a file, with the step numbers of the whole log and the name of the file.

extension Divergence {
  fileprivate func located(in rotatedLog: RotatedLog, _ segment: Int) -> Divergence {
    var located = self
    located.step += rotatedLog.segments[segment].stepsBefore
    located.file = rotatedLog.name(of: segment)
    return located
  }
}

extension LogRisk {
  fileprivate func located(in rotatedLog: RotatedLog, _ segment: Int) -> LogRisk {
    var located = self
    if step != 0 { located.step += rotatedLog.segments[segment].stepsBefore }
    located.file = rotatedLog.name(of: segment)
    return located
  }
}

extension ReplayError {
  func located(in rotatedLog: RotatedLog, _ segment: Int) -> ReplayError {
    let before = rotatedLog.segments[segment].stepsBefore
    switch self {
    case .unreadable(let error):
      return .unreadable(rotatedLog.name(of: segment).map { error.inFile($0) } ?? error)
    case .impossible(var failure):
      if failure.step != 0 { failure.step += before }
      failure.file = rotatedLog.name(of: segment)
      return .impossible(failure)
    case .diverged(let divergence): return .diverged(divergence.located(in: rotatedLog, segment))
    case .encoding(let step, let reason): return .encoding(step: step + before, reason)
    case .foreign, .risky, .noStep, .unreachable, .noMark, .speed, .idleLimit: return self
    }
  }
}
