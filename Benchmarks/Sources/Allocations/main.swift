import CAllocations

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Counts how often each kind of step allocates, and fails where a limit is exceeded.
if allocations_are_counted() == 1 {
  count_allocations(1)
  if !printAllocations(await allocationLimits()) { exit(1) }
} else {
  print("allocations are not counted on this platform")
}
