extension CommandTable {
  /// Returns the words of the `help` that `words` ask for by `--help`, `-h` or a first `?`, or
  /// `nil` if they ask for none; see `helpTopic(in:)`.
  ///
  /// The program options among them stay. Other words of a command that asks for help are left
  /// out, since they need not be right yet.
  package func helpWords(in words: [Argument], literal: Bool) -> [Argument]? {
    guard let topic = helpTopic(in: words) else { return nil }
    let help = Argument("help")
    if let first = words.first, first.text == "?", !first.isQuoted, !first.isInserted {
      return [help] + words.dropFirst()
    }
    func globals(_ words: ArraySlice<Argument>) -> OptionValues? {
      try? parse(words: [help] + words, literal: literal).globals
    }
    var options: [Argument] = []
    var rest = words.prefix { $0.text != "--" }
    while !rest.isEmpty {
      var count = 1
      var found = globals(rest.prefix(1))
      // An option without its value is none.
      if found == nil, rest.count > 1 {
        found = globals(rest.prefix(2))
        if found != nil { count = 2 }
      }
      if found?.isEmpty == false { options += rest.prefix(count) }
      rest = rest.dropFirst(count)
    }
    return [help] + topic.map { Argument($0) } + options
  }
}
