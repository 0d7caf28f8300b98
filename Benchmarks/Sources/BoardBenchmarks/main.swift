import BenchmarkProcesses

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// The program's path, and of: --requests, --documents, --program, --day: only that part; --full:
// 100 000 puts and 50 000 requests, some minutes; --rounds N.
let words = CommandLine.arguments.dropFirst()
guard let program = words.first, access(program, X_OK) == 0 else {
  print(
    "usage: BoardBenchmarks PROGRAM [--requests | --documents | --program | --day] [--full] [--rounds N]"
  )
  exit(64)
}
for (tool, package) in [("curl", "curl"), ("sqlite3", "sqlite3")]
where ChildProcess.run([tool, "--version"])?.status != 0 {
  print("\(tool) is missing, and the lines against it are left out (apt-get install \(package))")
}
let folder = "/var/tmp/swiftboard-board-benchmarks.\(getpid())"
guard mkdir(folder, 0o700) == 0, let server = LoopbackServer(largeSize: 1_000_000_000) else {
  print("no folder in /var/tmp, or no server: nothing is measured")
  exit(1)
}
let rounds = words.firstIndex(of: "--rounds").flatMap { index in
  index + 1 < words.endIndex ? Int(words[index + 1]) : nil
}
let benchmarks = BoardBenchmarks(
  program: program, server: server, folder: folder, rounds: max(1, rounds ?? 3))
let isFull = words.contains("--full")
let parts = ["--requests", "--documents", "--program", "--day"].filter(words.contains)
func measures(_ part: String) -> Bool { parts.isEmpty || parts.contains(part) }
var table: [Row] = []
do {
  if measures("--program") { table += benchmarks.starts() }
  if measures("--requests") { table += try benchmarks.requests() }
  if measures("--requests"), isFull { table += try benchmarks.memory() }
  if measures("--documents") { table += try benchmarks.documents(puts: isFull ? 100_000 : 2000) }
  if measures("--day") { table += try benchmarks.day() }
} catch {
  print("not all could be measured: \(error)")
}
try? FileManager.default.removeItem(atPath: folder)
printTable(table)
