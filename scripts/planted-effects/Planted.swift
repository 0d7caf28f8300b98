// Effects that scripts/effect-lines has to refuse, and some that it has to pass. Not compiled;
// scripts/effect-lines-test reads the comment above each function.

enum PlantedAction {
  case ended
  case more(Int), none
}

struct Planted {
  // refused: a task that chooses between two actions
  func choosingTask() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      let page = try await step(1)
      guard page.isLast else { return .more(1) }
      return .ended
    }
  }

  // refused: a task that chooses in an expression
  func choosingExpression() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      try await step(1) == nil ? .ended : .more(1)
    }
  }

  // refused: a run that sends one of two actions
  func choosingRun() -> [Effect<PlantedAction>] {
    .run(name: "a") { send in
      for try await page in steps {
        if page.isLast { send(.ended) } else { await send.start(.more(1)).finish() }
      }
    }
  }

  // passed: a task with one action that contains values, and another action in its catch
  func plainTask() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      .more(try await step(kind: .ended, .none))
    }
    .catch { _ in .ended }
  }

  // refused: a task
  func longTask() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      try await step(1)
      try await step(2)
      try await step(3)
      try await step(4)
      try await step(5)
      try await step(6)
      try await step(7)
      try await step(8)
      try await step(9)
      try await step(10)
      return .ended
    }
  }

  // passed: a task of ten lines
  func shortTask() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      try await step(1)
      try await step(2)
      try await step(3)
      try await step(4)
      try await step(5)
      try await step(6)
      try await step(7)
      try await step(8)
      try await step(9)
      return .ended
    }
  }

  // refused: a stream's action
  func longStream() -> [Effect<PlantedAction>] {
    .stream(source.values(), name: "a") {
      try await step(1)
      try await step(2)
      try await step(3)
      try await step(4)
      try await step(5)
      try await step(6)
      try await step(7)
      try await step(8)
      try await step(9)
      try await step(10)
      return .ended
    }
  }

  // refused: a stream's sequence
  func longSequence() -> [Effect<PlantedAction>] {
    .stream(
      from: {
        try await step(1)
        try await step(2)
        try await step(3)
        try await step(4)
        try await step(5)
        try await step(6)
        try await step(7)
        try await step(8)
        try await step(9)
        try await step(10)
        return .ended
      }, name: "a") { .value($0) }
  }

  // refused: a poll's work
  func longPoll() -> [Effect<PlantedAction>] {
    .poll(every: .seconds(1), clock: dependencies.clock.standard, name: "a") {
      try await step(1)
      try await step(2)
      try await step(3)
      try await step(4)
      try await step(5)
      try await step(6)
      try await step(7)
      try await step(8)
      try await step(9)
      try await step(10)
      return .ended
    }
  }

  // refused: a poll's errors
  func longErrors() -> [Effect<PlantedAction>] {
    .poll(
      every: .seconds(1), clock: clock,
      onError: .goOn { error in
        try await step(1)
        try await step(2)
        try await step(3)
        try await step(4)
        try await step(5)
        try await step(6)
        try await step(7)
        try await step(8)
        try await step(9)
        try await step(10)
        return .ended
      }
    ) { .ended }
  }

  // refused: a timer's action
  func longTimer() -> [Effect<PlantedAction>] {
    .timer(every: .seconds(1), clock: clock, name: "a") {
      try await step(1)
      try await step(2)
      try await step(3)
      try await step(4)
      try await step(5)
      try await step(6)
      try await step(7)
      try await step(8)
      try await step(9)
      try await step(10)
      return .ended
    }
  }

  // passed: a poll that asks once
  func shortPoll() -> [Effect<PlantedAction>] {
    .poll(every: max(time / 60, .seconds(1)), clock: dependencies.clock.standard, name: "a") {
      await service.ask() ? .ended : nil
    }
  }

  // refused: a constant with the work
  func namedConstant() -> [Effect<PlantedAction>] {
    let work: @Sendable () async throws -> PlantedAction = {
      try await step(1)
      try await step(2)
      try await step(3)
      try await step(4)
      try await step(5)
      try await step(6)
      try await step(7)
      try await step(8)
      try await step(9)
      try await step(10)
      return .ended
    }
    return .task(name: "a", work)
  }

  // refused: a function as the work
  func namedFunction() -> [Effect<PlantedAction>] {
    .task(name: "a", work)
  }

  private func work() async throws -> PlantedAction {
    try await step(1)
    try await step(2)
    try await step(3)
    try await step(4)
    try await step(5)
    try await step(6)
    try await step(7)
    try await step(8)
    try await step(9)
    try await step(10)
    return .ended
  }

  // refused: a computed property
  func readsProperty() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      .value(decision)
    }
  }

  // refused: a computed property of another value
  func readsMember() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      .value(self.decision)
    }
  }

  private var decision: Int {
    if state.has(0) { return 0 }
    if state.has(1) { return 1 }
    if state.has(2) { return 2 }
    if state.has(3) { return 3 }
    if state.has(4) { return 4 }
    if state.has(5) { return 5 }
    if state.has(6) { return 6 }
    if state.has(7) { return 7 }
    if state.has(8) { return 8 }
    if state.has(9) { return 9 }
    return 0
  }

  // refused: a predicate of retry
  func longPredicate() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      .value(try await service.ask())
    }
    .retry(policy, clock: clock) { error in
      if error.code == 0 { return true }
      if error.code == 1 { return true }
      if error.code == 2 { return true }
      if error.code == 3 { return true }
      if error.code == 4 { return true }
      if error.code == 5 { return true }
      if error.code == 6 { return true }
      if error.code == 7 { return true }
      if error.code == 8 { return true }
      if error.code == 9 { return true }
      return false
    }
  }

  // refused: a predicate of retry by its name
  func namedPredicate() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      .value(try await service.ask())
    }
    .retry(policy, clock: clock, while: Self.isTemporary)
    .catch { _ in .ended }
  }

  private static func isTemporary(_ error: any Error) -> Bool {
    if error.code == 0 { return true }
    if error.code == 1 { return true }
    if error.code == 2 { return true }
    if error.code == 3 { return true }
    if error.code == 4 { return true }
    if error.code == 5 { return true }
    if error.code == 6 { return true }
    if error.code == 7 { return true }
    if error.code == 8 { return true }
    if error.code == 9 { return true }
    return false
  }

  // refused: a task and its catch together
  func taskWithCatch() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      try await step(1)
      try await step(2)
      try await step(3)
      try await step(4)
      try await step(5)
      return .ended
    }
    .catch { error in
      note(0)
      note(1)
      note(2)
      note(3)
      return .failed
    }
  }

  // passed: a task and its catch of ten lines
  func shortTaskWithCatch() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      try await step(1)
      try await step(2)
      try await step(3)
      try await step(4)
      try await step(5)
      try await step(6)
      try await step(7)
      try await step(8)
      return .ended
    }
    .catch { _ in .failed }
    .cancellable(id: job)
  }

  // refused: a catch behind a function that makes the task
  func catchOfMaker() -> [Effect<PlantedAction>] {
    ask(2).catch { error in
      note(0)
      note(1)
      note(2)
      note(3)
      return .failed
    }
  }

  // passed: the task that the function makes
  private func ask(_ job: Int) -> [Effect<PlantedAction>] {
    .task(name: "a") {
      try await step(1)
      try await step(2)
      try await step(3)
      try await step(4)
      try await step(5)
      return .ended
    }
  }

  // refused: lines that a semicolon joins
  func joined() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      first(); second(); third(); fourth(); fifth(); sixth(); seventh(); eighth(); ninth(); tenth()
      return .ended
    }
  }

  // refused: a function that the task calls
  func callsFunction() -> [Effect<PlantedAction>] {
    .task(name: "a") { try await self.work() }
  }

  // refused: a task and its catch, with what they call
  func sharedLines() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      try await four()
      try await step(2)
      return .ended
    }
    .catch { error in
      note(0)
      return failed(error)
    }
  }

  // passed: a task and its catch that call the same function
  func sharedOnce() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      try await four()
      return .ended
    }
    .catch { error in
      four()
      return .failed
    }
  }

  private func four() async throws {
    try await step(1)
    try await step(2)
    try await step(3)
    try await step(4)
  }

  private func failed(_ error: any Error) -> PlantedAction {
    note(1)
    note(2)
    return .failed
  }

  // refused: an initializer that a method of a collection calls
  func namedInitializer() -> [Effect<PlantedAction>] {
    .task(name: "a") {
      .values(try await service.all().map(PlantedValue.init))
    }
  }

  // The closure counts with the effect of the question below.
  func question() -> [Effect<PlantedAction>] {
    let inquire = PlantedQuestion<PlantedAction>(1, dependencies)
    return inquire("a") {
      try await step(1)
      try await step(2)
      try await step(3)
      try await step(4)
      try await step(5)
      try await step(6)
      try await step(7)
      try await step(8)
      try await step(9)
      return 1
    }
  }
}

struct PlantedValue {
  init(_ row: Row) {
    if row.has(0) { add(0) }
    if row.has(1) { add(1) }
    if row.has(2) { add(2) }
    if row.has(3) { add(3) }
    if row.has(4) { add(4) }
    if row.has(5) { add(5) }
    if row.has(6) { add(6) }
    if row.has(7) { add(7) }
    if row.has(8) { add(8) }
    if row.has(9) { add(9) }
  }
}

struct PlantedQuestion<Action> {
  // refused: the task of a question, with the longest of its calls
  func callAsFunction(
    _ name: String, mayRepeat: Bool = true, _ question: @escaping @Sendable () async throws -> Int
  ) -> [Effect<Action>] {
    .task(name: "a.\(name)") { .value(try await question()) }
      .catch { _ in .failed }
  }
}
