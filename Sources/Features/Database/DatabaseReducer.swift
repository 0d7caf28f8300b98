import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardStore

/// Decides what the commands of `db` do, one call of a service at a time.
///
/// ```text
/// run ─► db.contents ─► contents ─► db.get ─► succeeded         names are not loaded; any `stats`
/// run ─► db.put ─► db.put.end ─► succeeded                      names are loaded, or not used
/// run ─► db.get ─► succeeded                                    it changes nothing
/// run ─► db.import ─► checked ─► db.import.write ─► db.import.end ─► imported    see below
///                            (also a cancelled one) └► db.import.end ─► failed
///                 └─► checked ─► failed                         an entry's name is taken
/// imported ─► db.contents ─► contents ─► succeeded
/// run ─► db.list ─► listed                                             a list of one page
///                └► listed ─► db.list.rest ─► listed … ─► succeeded    a list of several pages
///                └► listed ─► db.list.missing ─► succeeded             an empty list
/// ```
struct DatabaseReducer: Reducer {
  func reduce(
    _ state: inout DatabaseState, _ action: DatabaseAction, _ dependencies: Dependencies
  ) -> [Effect<DatabaseAction>] {
    switch action {
    case .run(let context, let command, let waits):
      if let collection = command.collection { state.collection = collection }
      let needsNames = state.isLoaded == false || state.isLoaded == true && command == .stats
      guard needsNames, command.usesNames, waits == true || !command.isLarge else {
        return begin(command, context.job, &state, dependencies)
      }
      state.wait(.begins(job: context.job, command: command))
      return loadContents(context.job, &state, dependencies)
    case .bootstrap: return loadContents(0, &state, dependencies)
    case .contents(let job, let contents, _):
      let isCurrent = state.endRead(job)
      // The first command that uses names tries again. Names that were loaded for a command since
      // have been adjusted.
      if job == 0, contents == nil || state.isLoaded == true { return [] }
      let pending = state.takePending(job)
      // Names that were loaded for another command have been adjusted since.
      if state.isLoaded != true || pending?.asksAgain != false {
        state.show(contents, isCurrent: isCurrent)
      }
      switch pending {
      case .begins(_, let command): return begin(command, job, &state, dependencies)
      case .ends(_, let result): return .send(.succeeded(job: job, result: result))
      case nil: return []
      }
    case .listed(let job, let documents, _, let rest, let count):
      state.note(found: documents.count, of: job, isLast: count != nil)
      if count != nil { state.endRead(job) }
      if let rest {
        if count == 0 { return findCollection(of: rest, job, dependencies) }
        // The whole list ends the command.
        guard count == nil else { return [] }
        do { try rest.refuseMarks() } catch {
          return .send(.failed(job: job, failure: Failure(error, dependencies)))
        }
        return listPages(of: rest, job, dependencies)
      }
      return count.map { .send(.succeeded(job: job, result: .listed(count: $0))) } ?? []
    case .checked(let request, let taken?):
      let failure = Failure(Failure.taken(taken, request.path), dependencies)
      return .send(.failed(job: request.job, failure: failure))
    case .checked(let request, nil):
      state.expectImport()
      return importEntries(request, &state, dependencies)
    case .imported(let request, let counts):
      let result = DatabaseResult.imported(path: request.path, counts: counts)
      guard state.isLoaded != nil else {
        return .send(.succeeded(job: request.job, result: result))
      }
      state.wait(.ends(job: request.job, result: result))
      // A cancelled import is complete by now.
      return loadContents(
        request.job, &state, dependencies, isCancellable: !state.isChanging(request.job))
    case .missing(let job, let item):
      return .send(.failed(job: job, failure: .missing(item)))
    case .succeeded(let job, let result, _):
      state.endChange(job)
      state.note(result, of: job)
      state.endRead(job)
      state.settle()
      return []
    case .failed(let job, _):
      state.endChange(job)
      state.endRead(job)
      state.settle()
      return []
    }
  }
}

// MARK: Effects

extension DatabaseReducer {
  /// The first effect of a command.
  private func begin(
    _ command: DatabaseCommand, _ job: Int, _ state: inout DatabaseState,
    _ dependencies: Dependencies
  ) -> [Effect<DatabaseAction>] {
    if command.replacesNames { state.beginRead(job) }
    switch command {
    case .put(_, _, .json(let text)), .preferenceSet(_, let text):
      do { try MarkedText.refuse(text, in: "the document") } catch {
        return .send(.failed(job: job, failure: Failure(error, dependencies)))
      }
    case .list(let query):
      if state.isLoaded != nil { state.query = DatabaseQuery(job: job, query: query) }
      return list(query, job, dependencies)
    case .import(let path, let existing):
      return check(ImportRequest(job: job, path: path, existing: existing), dependencies)
    default: break
    }
    return command.changesFile
      ? change(command, job, &state, dependencies) : call(command, job, dependencies)
  }

  /// Asks the service once and ends the command with its answer.
  private func call(
    _ command: DatabaseCommand, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<DatabaseAction>] {
    let answer = command.call
    return .task(name: "db.\(command.verb)") {
      let (result, masked) = try await masking(try await answer(dependencies), dependencies)
      return .succeeded(job: job, result: result, masked: masked)
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  /// Does the same for a command that changes a file. If it is cancelled, it ends with what it has
  /// done.
  private func change(
    _ command: DatabaseCommand, _ job: Int, _ state: inout DatabaseState,
    _ dependencies: Dependencies
  ) -> [Effect<DatabaseAction>] {
    let answer = command.call
    state.outdateReads()
    return .change(name: "db.\(command.verb)", job: job, in: &state.changes, dependencies) {
      try await answer(dependencies)
    } report: {
      let (result, masked) = try await masking($0, dependencies)
      return .succeeded(job: job, result: result, masked: masked)
    } failure: {
      .failed(job: job, failure: $0)
    }
  }

  private func loadContents(
    _ job: Int, _ state: inout DatabaseState, _ dependencies: Dependencies,
    isCancellable: Bool = true
  ) -> [Effect<DatabaseAction>] {
    state.beginRead(job)
    let load: [Effect<DatabaseAction>] = .task(
      name: isCancellable ? "db.contents" : "db.contents.end"
    ) {
      let found = try await dependencies.persistence.contents(limit: DatabaseState.known)
      return .contents(job: job, contents: try await masking(found, dependencies).value)
    }
    // The command itself meets the same error, and says it.
    .catchFailure(dependencies) { .contents(job: job, contents: nil, failure: $0) }
    return isCancellable ? load.cancellable(id: job) : load
  }

  /// The first page, which is the whole answer of most lists; nothing of a longer one.
  private func list(
    _ query: DocumentQuery, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<DatabaseAction>] {
    .task(name: "db.list") {
      let page = try await dependencies.persistence.documents(query, from: nil)
      // The pages of a longer list are of one state, the first one too. The error of a damaged
      // document follows the others.
      let isAll = page.next == nil && page.damage == nil
      let (documents, masked) = try await masking(isAll ? page.documents : [], dependencies)
      return .listed(
        job: job, documents: documents, masked: masked, rest: query,
        count: isAll ? documents.count : nil)
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  /// Asks whether the collection of an empty list exists, which is advice: without an answer the
  /// list is empty all the same.
  private func findCollection(
    of query: DocumentQuery, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<DatabaseAction>] {
    .task(name: "db.list.missing") {
      let found = try await dependencies.persistence.missingCollection(query.collection)
      let missing = try await masking(found, dependencies).value
      return .succeeded(job: job, result: .documents(documents: [], missing: missing))
    }
    .catch { _ in .succeeded(job: job, result: .documents(documents: [])) }
    .cancellable(id: job)
  }

  /// The pages, each an action, so that a list of any length takes the memory of a page. In earlier
  /// recordings they are those behind the first one.
  private func listPages(
    of query: DocumentQuery, _ job: Int, _ dependencies: Dependencies
  ) -> [Effect<DatabaseAction>] {
    let pages = dependencies.persistence.pages(of: query)
    return .run(name: "db.list.rest") { send in
      for try await page in pages {
        let (documents, masked) = try await masking(page.documents, dependencies)
        let count = page.isLast ? page.count : nil
        await send.start(
          .listed(job: job, documents: documents, masked: masked, count: count)
        ).finish()
      }
    }
    .catchFailure(dependencies) { .failed(job: job, failure: $0) }
    .cancellable(id: job)
  }

  /// Reads the file of an import, so that a mistake anywhere in it changes nothing.
  private func check(
    _ request: ImportRequest, _ dependencies: Dependencies
  ) -> [Effect<DatabaseAction>] {
    .task(name: "db.import") {
      let taken = try await DatabaseTransfer(dependencies).check(
        request.path, findsTaken: request.existing == .refuse)
      return .checked(request: request, taken: taken)
    }
    .catchFailure(dependencies) { .failed(job: request.job, failure: $0) }
    .cancellable(id: request.job)
  }

  /// Writes the entries of an import, which ends with the numbers of written entries also if it is
  /// cancelled. Those of earlier recordings ended when they were cancelled.
  private func importEntries(
    _ request: ImportRequest, _ state: inout DatabaseState, _ dependencies: Dependencies
  ) -> [Effect<DatabaseAction>] {
    func write(in changes: inout RunningChanges?) -> [Effect<DatabaseAction>] {
      .change(
        name: "db.import.write", end: "db.import.end", job: request.job, in: &changes, dependencies
      ) {
        try await DatabaseTransfer(dependencies).importEntries(
          of: request.path, onExisting: request.existing)
      } report: {
        .imported(request: request, counts: $0)
      } failure: {
        .failed(job: request.job, failure: $0)
      }
    }
    state.outdateReads()
    guard request.endsCancelled == true else {
      var none: RunningChanges?
      return write(in: &none)
    }
    guard state.changes == nil else { return write(in: &state.changes) }
    state.imports = state.imports ?? []
    return write(in: &state.imports)
  }
}

extension Failure {
  fileprivate static func taken(_ entry: ImportConflict, _ path: String) -> Failure {
    Failure(
      code: ExitCode.cannotCreate, error: "exists",
      message: "\(path):\(entry.line): \(entry.name) is here already, so nothing was imported",
      help:
        "--existing keep leaves what is here, --existing replace puts the imported in its place")
  }
}

extension DocumentQuery {
  /// Refuses a query in which a mark stands for a value that has become a secret: it would find
  /// other documents.
  fileprivate func refuseMarks() throws {
    let text = String(decoding: try CanonicalEncoder.encode(self), as: UTF8.self)
    try MarkedText.refuse(text, in: "the query")
  }
}
