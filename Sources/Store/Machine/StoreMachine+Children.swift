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
    let (absent, lists) = searchChildren(forPresent: false)
    if absent.isEmpty, lists.isEmpty { return }
    // If several operators use the same key, the child is absent only if none of them has it.
    let present = absent.isEmpty ? [] : searchChildren(forPresent: true).found
    change { $0.conclude(absent: absent, present: present, lists: lists) }
  }

  @inlinable @inline(never)
  func searchChildren(
    forPresent: Bool
  ) -> (found: [ChildSearch.ReversedPlace], lists: [ChildSearch.VisitedList]) {
    var search = ChildSearch(graph.index.root, forPresent: forPresent)
    reducer.findAbsentChildren(in: state, &search)
    return (search.found, search.lists)
  }
}
