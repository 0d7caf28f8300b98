import CAllocations

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Without arguments: the whole table. With --allocations: only what is free of noise, and a failure where a limit is exceeded.
let onlyAllocations = CommandLine.arguments.contains("--allocations")
keep_freed_memory()
if !onlyAllocations {
  var table = await sendingBenchmarks()
  table += compositionBenchmarks()
  table += await effectBenchmarks()
  table += await memoryBenchmarks()
  table += await recordingBenchmarks()
  printTable(table)
}
if allocations_are_counted() == 1 {
  count_allocations(1)
  if !printAllocations(await allocationLimits()) { exit(1) }
} else {
  print("allocations are not counted on this platform")
}
