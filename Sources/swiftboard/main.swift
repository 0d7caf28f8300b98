import SwiftBoardDependencies
import SwiftBoardFeatures

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

ProcessHardening.forbidDumps()
await exit(CompositionRoot.run())
