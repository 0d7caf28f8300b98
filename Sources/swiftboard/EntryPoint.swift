import Dispatch
import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardSystem

/// The program's `main`, with the name that SwiftPM gives an executable's entry point.
///
/// It receives the arguments from the system. On Linux, `CommandLine.arguments` reads
/// `/proc/self/cmdline` and is empty if that cannot be read. A program without arguments would run
/// its standard input as a script.
@_cdecl("swiftboard_main")
func enter(
  _ count: Int32, _ words: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  MemoryAllocator.shareFreedMemory()
  SQLiteLibrary.disableMemoryStatistics()
  forbidCoreDumps()
  ProcessHardening.holdStandardDescriptors()
  if let code = BoardProgram.refuse(openFileLimit: openFileLimit()) { return code }
  ProcessHardening.keepOwnerPermissions()
  UnlockSources.holdClosedDescriptor()
  #if os(Linux)
    UnwatchedThreads.useWhereNeeded()
  #endif
  // The first argument is the program's name.
  let words = UnsafeBufferPointer(start: words, count: words == nil ? 0 : Int(max(0, count)))
    .dropFirst().compactMap(\.self)
  let arguments = words.map { String(cString: $0) }
  let invalid = words.firstIndex { String(validatingCString: $0) == nil }
  if let invalid {
    return BoardProgram.refuse(
      argument: invalid + 1, of: arguments, environment: ProcessInfo.processInfo.environment)
  }
  let invalidVariables = invalidVariables()
  Task { [arguments] in ProcessEnd.leave(await CompositionRoot.run(arguments, invalidVariables)) }
  dispatchMain()
}

/// Returns the names of the environment variables that are not UTF-8, without repairs.
private func invalidVariables() -> [String] {
  var names: [String] = []
  var index = 0
  while let entry = environ[index] {
    if String(validatingCString: entry) == nil {
      let name = String(cString: entry).utf8.prefix { $0 != UInt8(ascii: "=") }
      names.append(String(decoding: name, as: UTF8.self))
    }
    index += 1
  }
  return names
}
