// The protocols of services have `Data` in them, so that code with services needs Foundation.

#if canImport(FoundationEssentials)
  @_exported import FoundationEssentials
#else
  @_exported import Foundation
#endif
