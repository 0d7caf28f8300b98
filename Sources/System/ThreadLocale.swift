/// The character set that C functions use on the calling thread. A program that calls no
/// `setlocale` has ASCII only.
package enum ThreadLocale {
  #if canImport(Darwin)
    private static let characterSet = LC_CTYPE_MASK
  #else
    // LC_CTYPE_MASK, whose definition Swift does not import.
    private static let characterSet: Int32 = 1 << LC_CTYPE
  #endif

  /// Makes UTF-8 the character set of the calling thread until it ends. Has no effect if the system
  /// has no locale for it. Takes a few microseconds after the first call.
  package static func useUTF8() {
    if let locale = UTF8Locale.shared.locale { uselocale(locale) }
  }

  /// The locale, which is never freed.
  private final class UTF8Locale: @unchecked Sendable {
    // Unchecked: a constant that C functions only read.
    static let shared = UTF8Locale()

    let locale: locale_t?

    init() { locale = newlocale(characterSet, "C.UTF-8", nil) }
  }
}
