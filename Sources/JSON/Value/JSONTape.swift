/// One value or key of a tokenised text: where its bytes are and where the next value begins.
struct JSONToken: BitwiseCopyable {
  enum Kind: UInt8, BitwiseCopyable {
    case null, no, yes, number, string, array, object
  }

  struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt8
    /// A string with at least one `\`.
    static let escaped = Flags(rawValue: 1)
    /// A number with a fraction or an exponent.
    static let fractional = Flags(rawValue: 2)
    /// An object whose keys do not ascend strictly by their bytes.
    static let unsorted = Flags(rawValue: 4)
    /// An object with equal keys.
    static let duplicates = Flags(rawValue: 8)
  }

  var kind: Kind
  var flags: Flags = []
  /// The first byte: a string's after its quote, a container's bracket itself.
  var start: UInt32
  /// The byte after the last: a string's closing quote.
  var end: UInt32
  /// The token after this value and all inside it. While a container is read: the container around
  /// it.
  var next: UInt32
  /// In an object: the key's token that is probably asked for next; while it is read, its latest
  /// key.
  var cursor: UInt32 = 0
}

/// A whole text as a flat list of tokens, in the order of the text; an object's members are key,
/// value, key, value.
typealias JSONTape = Stack<JSONToken>

extension Stack<JSONToken> {
  @inline(__always)
  var tokens: UnsafeMutablePointer<JSONToken> { base }
}
