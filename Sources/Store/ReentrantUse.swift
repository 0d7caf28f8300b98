/// The message for a deadlock: a thread uses a store while it holds that store's lock.
///
/// The lock knows the thread but not the code, so the message lists all code that runs under the
/// lock.
@usableFromInline
var reentrantUse: String {
  """
  deadlock: a store is used by code that runs under its own lock. That is a reducer or what it declares (subscriptions), \
  a hook, the closure of withState, setHooks or states, the predicate of wait(until:), the ==, hash(into:), deinit or description of an id, the description of an action \
  that no child takes, the deinit of a value that a step replaces, or the enqueue of an executor that runs its job at \
  once. Use the store when that code has returned: in an effect, an observer, or another task
  """
}
