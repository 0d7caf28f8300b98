extension StoreMachine {
  /// Cancels the effects of children that the step removed without the operators that compose them
  /// (R7).
  ///
  /// - Complexity: One comparison while no effects of children run.
  @inlinable
  mutating func endAbsentChildren() {
    guard graph.hasChildrenToSearch else {
      recipients.remove(.children)
      return
    }
    let (absent, complete) = searchChildren(forPresent: false)
    if absent.isEmpty, complete.isEmpty { return }
    // If several operators use the same key, the child is absent only if none of them has it.
    let present = absent.isEmpty ? [] : searchChildren(forPresent: true).found
    change { $0.conclude(absent: absent, present: present, complete: complete) }
  }

  @inlinable @inline(never)
  func searchChildren(
    forPresent: Bool
  ) -> (found: [ChildSearch.ReversedPlace], complete: [ChildSearch.CompleteList]) {
    var search = ChildSearch(graph.index.root, forPresent: forPresent)
    reducer.findAbsentChildren(in: state, &search)
    return (search.found, search.complete)
  }
}
