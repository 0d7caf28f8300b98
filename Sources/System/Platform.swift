// Only this file chooses between the C libraries and between the two Foundations. The other modules
// use both through `import SwiftBoardSystem`.

#if canImport(Glibc)
  @_exported @preconcurrency import Glibc
#elseif canImport(Musl)
  @_exported @preconcurrency import Musl
#else
  @_exported import Darwin
#endif

#if canImport(FoundationEssentials)
  @_exported import FoundationEssentials
#else
  @_exported import Foundation
#endif
