/// A value or key of a tokenized text: the range of its bytes, and the token of the next value.
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
  /// The position of the first byte. A string begins after its quote, a container at its bracket.
  var start: UInt32
  /// The position after the last byte. A string ends at its closing quote.
  var end: UInt32
  /// The token after this value and all values inside it. While a container is being parsed, the
  /// container around it.
  var next: UInt32
  /// For an object, the token of the key that is probably requested next. While the object is being
  /// parsed, its latest key.
  var cursor: UInt32 = 0
}

/// A text as a flat list of tokens in the order of the text. The members of an object are key,
/// value, key, value.
typealias JSONTape = Stack<JSONToken>

extension Stack<JSONToken> {
  @inline(__always)
  var tokens: UnsafeMutablePointer<JSONToken> { base }
}
