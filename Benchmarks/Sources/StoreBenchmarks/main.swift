import CAllocations

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Without arguments: the whole table. With --steps, --effects, --log, --keychain or --services: a
// part of it. With --verify FORM FILE: one verification, by a process of its own for its memory.
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
printTable(await wholeTable())

func wholeTable() async -> [Measurement] {
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
  return table
}
