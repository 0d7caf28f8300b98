import Synchronization
import Testing

@testable import SwiftBoardDependencies

@Suite("Exclusive values") struct ExclusiveValueTests {
  private enum Place: Sendable { case caller, thread }

  /// A value whose brief calls take no time, however busy the machine is.
  private func value(_ number: Int) -> ExclusiveValue<Int> {
    // Real time: only where the clock stands.
    let start = ContinuousClock.now
    return ExclusiveValue(number, label: "test") { start }
  }

  private func place(of value: ExclusiveValue<Int>) async -> Place {
    await value.useBriefly(here: { _ in .caller }, onThread: { _ in .thread })
  }

  @Test("a brief call runs on its caller's thread, any other on the value's")
  func aBriefCallRunsOnItsCallersThread() async {
    let value = value(0)
    await value.use { $0 += 1 }
    let count = await value.useBriefly(
      here: { number -> Int? in
        number += 1
        return number
      }, onThread: { _ in 0 })
    #expect(count == 2)
    #expect(await place(of: value) == .caller)
  }

  @Test("a brief call that cannot be made here is made on the thread")
  func aBriefCallThatCannotBeMadeHereIsMadeOnTheThread() async {
    let value = value(7)
    let number = await value.useBriefly(here: { _ -> Int? in nil }, onThread: { $0 })
    #expect(number == 7)
  }

  @Test("a brief call neither waits for another call nor overtakes one")
  func aBriefCallNeitherWaitsNorOvertakes() async {
    let value = value(0)
    #expect(value.useHere { _ in value.useHere { _ in true } ?? false } == false)
    // The thread is busy with the first call while the second one waits for it.
    await value.use { _ in #expect(value.useHere { _ in true } == nil) }
    #expect(value.useHere { _ in true } == true)
  }

  @Test("after a slow brief call, brief calls run on the thread until one is fast")
  func afterASlowBriefCall() async {
    // Each call reads the clock twice, so it takes as long as a step.
    let step = Shared(Duration.microseconds(1001))
    // Real time: only where the calls' own clock begins.
    let time = Shared(ContinuousClock.now)
    let value = ExclusiveValue(0, label: "test") {
      let step = step.value.withLock { $0 }
      return time.value.withLock { time in
        time += step
        return time
      }
    }
    #expect(await place(of: value) == .caller)
    #expect(await place(of: value) == .thread)
    #expect(await place(of: value) == .thread)
    step.value.withLock { $0 = .microseconds(1000) }
    #expect(await place(of: value) == .thread)
    #expect(await place(of: value) == .caller)
    #expect(await place(of: value) == .caller)
  }

  @Test("errors keep their type, and a call sees whether its task is cancelled")
  func errorsAndCancellation() async {
    struct Failure: Error { var place: Place }
    let value = value(0)
    var thrown: [Failure] = []
    do throws(Failure) {
      _ = try await value.useBriefly(
        here: { (_: inout Int) throws(Failure) -> Int? in throw Failure(place: .caller) },
        onThread: { (_: inout Int) throws(Failure) -> Int in 0 })
    } catch {
      thrown.append(error)
    }
    do throws(Failure) {
      try await value.use { (_: inout Int) throws(Failure) in throw Failure(place: .thread) }
    } catch {
      thrown.append(error)
    }
    #expect(thrown.map(\.place) == [.caller, .thread])
    let seen = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      let here = await value.useBriefly(here: { _ in Task.isCancelled }, onThread: { _ in false })
      return [here, await value.use { _ in Task.isCancelled }]
    }.value
    #expect(seen == [true, true])
  }
}
