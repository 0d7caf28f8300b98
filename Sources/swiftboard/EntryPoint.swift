import Dispatch
import SwiftBoardDependencies

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The program's `main`, under the name that SwiftPM gives an executable's entry point.
///
/// It takes the arguments from the system. `CommandLine.arguments` reads `/proc/self/cmdline` on Linux and is empty
/// where that cannot be read, and a program without arguments runs its standard input as a script.
@_cdecl("swiftboard_main")
func enter(
  _ count: Int32, _ words: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  ProcessHardening.forbidDumps()
  ProcessHardening.holdStandardDescriptors()
  // The first word is the program's name; what is not UTF-8 is repaired, as in `CommandLine.arguments`.
  let arguments = UnsafeBufferPointer(start: words, count: words == nil ? 0 : Int(max(0, count)))
    .dropFirst().compactMap { $0.map { String(cString: $0) } }
  Task { exit(await CompositionRoot.run(arguments)) }
  dispatchMain()
}
