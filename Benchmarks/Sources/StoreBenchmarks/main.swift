import CAllocations

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Without arguments: the whole table. With --allocations: only what is free of noise, and a failure
// where a limit is exceeded. With --steps, --effects, --log or --keychain: only that part of the
// table. With --verify FORM FILE: one verification, by a process of its own for its memory.
let onlyAllocations = CommandLine.arguments.contains("--allocations")
if CommandLine.arguments.count == 4, CommandLine.arguments[1] == "--verify" {
  exit(verifyAlone(CommandLine.arguments[2], CommandLine.arguments[3]) ? 0 : 1)
}
if CommandLine.arguments.contains("--effects") {
  keep_freed_memory()
  printTable(await effectBenchmarks())
  exit(0)
}
if CommandLine.arguments.contains("--steps") {
  var table = await sendingBenchmarks()
  table += compositionBenchmarks()
  table += await recordingBenchmarks()
  printTable(table)
  exit(0)
}
if CommandLine.arguments.contains("--log") {
  printTable(logBenchmarks())
  exit(0)
}
if CommandLine.arguments.contains("--keychain") {
  printTable(await keychainBenchmarks())
  exit(0)
}
if CommandLine.arguments.contains("--services") {
  printTable(await serviceBenchmarks())
  exit(0)
}
if !onlyAllocations {
  // First: a process that this one starts is taken to need what this one has when it starts it.
  let log = logBenchmarks()
  keep_freed_memory()
  var table = await sendingBenchmarks()
  table += compositionBenchmarks()
  table += await effectBenchmarks()
  table += await memoryBenchmarks()
  table += await recordingBenchmarks()
  table += log
  table += await keychainBenchmarks()
  table += await serviceBenchmarks()
  printTable(table)
}
if allocations_are_counted() == 1 {
  count_allocations(1)
  if !printAllocations(await allocationLimits()) { exit(1) }
} else {
  print("allocations are not counted on this platform")
}
