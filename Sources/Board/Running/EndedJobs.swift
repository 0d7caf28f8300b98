import SwiftBoardSystem

/// The exit codes of all commands that have ended.
///
/// Jobs are numbered in the order in which they start and end in nearly the same one. The numbers
/// are kept as ranges, and only exit codes other than 0 one by one, so that commands that succeed
/// take no memory.
struct EndedJobs: Sendable {
  /// Sorted, without neighbors that touch.
  private(set) var ranges: [ClosedRange<Int>] = []
  /// The exit codes other than 0.
  private(set) var codes: [Int: Int32] = [:]

  /// The exit code of a command, or `nil` if it has not ended. O(log n) of the ranges to read, and
  /// as fast to set for commands that end in the order of their numbers.
  subscript(job: Int) -> Int32? {
    get {
      let index = firstRange(from: job)
      guard index < ranges.count, ranges[index].contains(job) else { return nil }
      return codes[job] ?? 0
    }
    set {
      guard let newValue else { return }
      codes[job] = newValue == 0 ? nil : newValue
      insert(job)
    }
  }

  private mutating func insert(_ job: Int) {
    let index = firstRange(from: job)
    guard index == ranges.count || !ranges[index].contains(job) else { return }
    let touchesNext = index < ranges.count && ranges[index].lowerBound == job + 1
    let touchesPrevious = index > 0 && ranges[index - 1].upperBound == job - 1
    switch (touchesPrevious, touchesNext) {
    case (true, true):
      ranges[index - 1] = ranges[index - 1].lowerBound...ranges[index].upperBound
      ranges.remove(at: index)
    case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound...job
    case (false, true): ranges[index] = job...ranges[index].upperBound
    case (false, false): ranges.insert(job...job, at: index)
    }
  }

  /// The index of the first range that does not end before `job`.
  private func firstRange(from job: Int) -> Int {
    ranges.partitioningIndex { $0.upperBound >= job }
  }
}
