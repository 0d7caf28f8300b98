import SwiftBoardJSON

/// What can follow at the end of a text, by the table of commands: fixed words, and kinds of values
/// that only the program knows.
package struct LineCompletion: Sendable, Equatable {
  /// The words of the table.
  package private(set) var words: [String] = []
  /// The options whose spellings are among the words.
  package private(set) var options: [OptionSpec] = []
  /// The words of the command before them.
  package private(set) var path: [String] = []
  /// The words that go on, such as `header:`.
  private var prefixes: Set<String> = []
  /// The kind of value, if one may stand there.
  package private(set) var kind: ValueKind?
  /// The part of the word that stays, such as `--level=` or `@`.
  package private(set) var head = ""
  /// Whether the candidates are names in the user's home.
  package private(set) var isInHome = false
  /// The part of the word that candidates begin with.
  package private(set) var typed = ""
  /// A text behind each candidate, such as `}}`.
  private var tail = ""
  private var rawCount = 0
  private var quote: Character?

  /// A value that the program knows.
  package struct Value: Sendable, Hashable {
    package var text: String
    /// Whether the value goes on, as a folder does.
    package var isPartial: Bool

    package init(_ text: String, isPartial: Bool = false) {
      self.text = text
      self.isPartial = isPartial
    }
  }

  /// - Parameter alias: Returns the words that an alias stands for, or `nil` for another word.
  /// - Returns: `nil` if nothing can be completed at the end of `text`.
  package init?<Output>(
    _ text: String, in table: CommandTable<Output>, alias: (String) -> [String]? = { _ in nil }
  ) {
    guard let line = TypedWords(text) else { return nil }
    (typed, rawCount, quote) = (line.word, line.rawCount, line.quote)
    if line.isRedirection {
      kind = .file
    } else if !line.hasTextBrace, takeReference() {
    } else if takeVariable(line) {
    } else {
      let meant = line.words.first.flatMap(alias).map { $0 + line.words.dropFirst() }
      find(meant ?? line.words, table)
    }
    takeHome(text.suffix(rawCount))
    if words.isEmpty, kind == nil { return nil }
  }

  /// What can stand for the last word of a one-shot command, which a shell has split.
  ///
  /// - Parameters:
  ///   - words: The words of the command before it.
  ///   - typed: The last word, empty behind a blank.
  /// - Returns: `nil` if nothing is known.
  package init?<Output>(_ words: [String], typed: String, in table: CommandTable<Output>) {
    self.typed = typed
    if !takeReference() { find(words, table) }
    if self.words.isEmpty, kind == nil { return nil }
  }

  /// What can stand for a word that is an option or its value behind `=`.
  ///
  /// - Returns: `nil` if nothing is known.
  package init?(typed: String, options: [OptionSpec]) {
    self.typed = typed
    findOption(options, given: [])
    if words.isEmpty, kind == nil { return nil }
  }

  /// What can stand for a value.
  ///
  /// - Returns: `nil` if nothing is known.
  package init?(typed: String, kind: ValueKind) {
    self.typed = typed
    take(kind)
    if words.isEmpty, self.kind == nil { return nil }
  }

  /// Takes an open `{{secret:` at the end of the word. Returns whether there is one.
  private mutating func takeReference() -> Bool {
    guard let start = Self.openReference(typed) else { return false }
    split(at: start)
    kind = .secret
    tail = "}}"
    return true
  }

  /// Returns the number of characters up to the name in an open `{{secret:`.
  private static func openReference(_ word: String) -> Int? {
    let mark = Array("{{secret:")
    let characters = Array(word)
    guard characters.count >= mark.count else { return nil }
    for start in stride(from: characters.count - mark.count, through: 0, by: -1)
    where characters[start..<(start + mark.count)].elementsEqual(mark) {
      let end = start + mark.count
      return characters[end...].contains("}") ? nil : end
    }
    return nil
  }

  /// Takes an open `$name` or `${name` at the end of the word, without brackets before it. A `$`
  /// alone within a word may belong to the name of a file. Returns whether there is one.
  private mutating func takeVariable(_ line: TypedWords) -> Bool {
    guard line.quote != "'", !line.hasTextDollar, let dollar = typed.lastIndex(of: "$") else {
      return false
    }
    let before = typed[..<dollar]
    var name = typed[dollar...].dropFirst()
    let isBraced = name.first == "{"
    if isBraced { name.removeFirst() }
    guard before.isEmpty || isBraced || !name.isEmpty,
      !before.contains(where: { "{}[]".contains($0) }), !isBraced || !line.hasTextBrace,
      name.unicodeScalars.allSatisfy({ LineScanner.isNameStart($0) || LineScanner.isDigit($0) })
    else { return false }
    split(at: before.count + (isBraced ? 2 : 1))
    if isBraced { tail = "}" }
    kind = .variable
    return true
  }

  /// Takes `~/` at the start of a file's name, unless the word as typed has a quote before it.
  private mutating func takeHome(_ raw: Substring) {
    guard kind == .file || kind == .directory, typed.hasPrefix("~/"), raw.hasPrefix(head + "~/")
    else { return }
    head += "~/"
    typed.removeFirst(2)
    isInHome = true
  }

  private mutating func split(at count: Int) {
    head = String(typed.prefix(count))
    typed = String(typed.dropFirst(count))
  }

  // MARK: The table

  private mutating func find<Output>(_ given: [String], _ table: CommandTable<Output>) {
    // Aliases may stand there too.
    if given.isEmpty { kind = .command }
    for word in given {
      guard table.words(after: path).contains(word) else { break }
      path.append(word)
    }
    let path = path
    var rest = Array(given.dropFirst(path.count))
    let spec = table.specs.first { $0.path == path }
    if rest.isEmpty { words = table.words(after: path) }
    guard let spec else { return }
    if spec.arguments.first?.kind == .command {
      words = table.words(after: rest) + (rest.isEmpty ? table.helpPages : [])
      return
    }
    let options =
      spec.options
      + table.globals.filter { global in
        !spec.options.contains { $0.name == global.name }
      }
    if let start = Self.start(ofCommandBehind: spec, rest, options, typed: typed) {
      self.path = []
      words = []
      find(Array(rest[start...]), table)
      // They may follow the command too.
      if typed.hasPrefix("-"), kind == nil, head.isEmpty { words += unused(spec.options, rest) }
      return
    }
    if let option = rest.last.flatMap({ Self.openOption($0, options) }) {
      return take(option.kind)
    }
    if typed.hasPrefix("-"), !rest.contains("--") {
      words = []
      return findOption(options, given: rest)
    }
    rest = Self.arguments(rest, options)
    for argument in Self.arguments(at: rest.count, spec.arguments) {
      if argument.kind == .expression { takeCondition(behind: rest) } else { take(argument.kind) }
    }
  }

  /// What follows the words of a condition: a path, an operator, a value, or a conjunction.
  private mutating func takeCondition(behind given: [String]) {
    enum Part { case path, comparison, value, conjunction }
    var next = Part.path
    for word in given {
      switch next {
      case .path:
        // Blanks may be missing, as in `a==1`.
        let isWhole = word.contains { "=!<>".contains($0) }
        next =
          !isWhole ? .comparison : word.last.map("=<>".contains) == true ? .value : .conjunction
      case .comparison:
        next = word == JSONCondition.Operator.exists.rawValue ? .conjunction : .value
      case .value: next = .conjunction
      case .conjunction: next = .path
      }
    }
    switch next {
    case .path: take(.expression)
    case .comparison: words += JSONCondition.Operator.allCases.map(\.rawValue)
    case .value: break
    case .conjunction: words += ["and", "or"]
    }
  }

  /// Returns where the command begins that is the last argument of another one, as behind `watch`.
  ///
  /// - Returns: The index in `words`, which is their count if the word that is typed begins it, or
  ///   `nil` if there is no such command yet.
  private static func start<Output>(
    ofCommandBehind spec: CommandSpec<Output>, _ words: [String], _ options: [OptionSpec],
    typed: String
  ) -> Int? {
    guard spec.takesCommand else { return nil }
    for start in words.indices.dropFirst() {
      let isArgument = arguments(Array(words[...start]), options).count == spec.arguments.count
      if isArgument { return start }
    }
    guard arguments(words, options).count == spec.arguments.count - 1, !typed.hasPrefix("-"),
      words.last.flatMap({ openOption($0, options) }) == nil
    else { return nil }
    return words.count
  }

  /// Returns the option that takes the next word as its value.
  private static func openOption(_ word: String, _ options: [OptionSpec]) -> OptionSpec? {
    options.first { option in
      !option.isFlag
        && (word == "--\(option.name)" || option.short.map { word == "-\($0)" } == true)
    }
  }

  private mutating func findOption(_ options: [OptionSpec], given: [String]) {
    if let equals = typed.firstIndex(of: "=") {
      let name = typed[..<equals].dropFirst(2)
      guard let option = options.first(where: { !$0.isFlag && $0.name == name }) else { return }
      split(at: name.count + 3)
      take(option.kind)
      return
    }
    self.options = options
    words = unused(options, given)
  }

  /// Returns the spellings of the options that may be given again, or have not been.
  private func unused(_ options: [OptionSpec], _ given: [String]) -> [String] {
    options.flatMap { option in
      option.spellings.filter { option.isRepeatable || !given.contains($0) }
    }
  }

  /// Returns the words that are arguments.
  private static func arguments(_ words: [String], _ options: [OptionSpec]) -> [String] {
    var arguments: [String] = []
    var isValue = false
    var areOptions = true
    for word in words {
      if isValue {
        isValue = false
      } else if areOptions, word == "--" {
        areOptions = false
      } else if areOptions, word.hasPrefix("-"), word.count > 1 {
        isValue = openOption(word, options) != nil
      } else {
        arguments.append(word)
      }
    }
    return arguments
  }

  /// Returns the arguments that a word can be. An optional one may be left out before a required
  /// one.
  private static func arguments(at index: Int, _ arguments: [ArgumentSpec]) -> [ArgumentSpec] {
    guard index < arguments.count else {
      return arguments.last.map { $0.isRepeating ? [$0] : [] } ?? []
    }
    let first = arguments[index]
    guard first.isOptional, let next = arguments[index...].first(where: { !$0.isOptional }) else {
      return [first]
    }
    return [first, next]
  }

  private mutating func take(_ kind: ValueKind) {
    switch kind {
    case .choice(let choices): words += choices
    case .prefix(let texts): take(prefixes: texts)
    case .query(let names): take(prefixes: names.map { $0 + "==" })
    case .item:
      guard let at = typed.lastIndex(of: "@") else { return }
      split(at: typed[...at].count)
      self.kind = .file
    case .json:
      guard typed.hasPrefix("@") else { return }
      split(at: 1)
      self.kind = .file
    // A condition begins with a path into the state.
    case .expression: self.kind = .path
    case .text, .int, .duration, .command: break
    default: self.kind = kind
    }
  }

  private mutating func take(prefixes texts: [String]) {
    words += texts
    prefixes.formUnion(texts)
  }

  // MARK: The answer

  /// Returns the words and values that begin with what is typed, without duplicates.
  private func matches(_ values: [Value]) -> [Value] {
    var seen: Set<String> = []
    let words = words.map { Value($0, isPartial: prefixes.contains($0)) }
    return (words + values).filter { value in
      value.text.hasPrefix(typed) && !value.text.unicodeScalars.contains { isControl($0) }
        && seen.insert(value.text).inserted
    }
  }

  /// Returns the whole words that may stand there, given the values of `kind`.
  package func wholeWords(_ values: [Value]) -> [String] {
    matches(values).map { head + $0.text + ($0.isPartial ? "" : tail) }
  }

  /// Returns the candidates, given the values of `kind`.
  package func answer(_ values: [Value]) -> CompletionAnswer {
    let found = matches(values)
    let common = CompletionAnswer.commonPrefix(of: found.map(\.text))
    return CompletionAnswer(
      replacedCount: rawCount,
      candidates: found.map { value in
        CompletionAnswer.Candidate(
          quoted(value.text, isPartial: value.isPartial),
          label: value.text, isPartial: value.isPartial)
      },
      commonPrefix: common.isEmpty ? "" : quoted(common, isPartial: true))
  }

  /// Returns the word as the line language reads it.
  private func quoted(_ value: String, isPartial: Bool) -> String {
    if isReference { return reference(value, isPartial: isPartial) }
    // Only the value is quoted: a word that is quoted as a whole is no option.
    if Self.isPlain(head) { return head + text(value, isPartial: isPartial) }
    let before = Self.escaped(head, quote == "'" ? Self.specials : "\"\\")
    return "\"" + before + Self.escaped(value, Self.specials) + (isPartial ? "" : "\"")
  }

  /// Whether the value is the name in `$name`, `${name}` or `{{secret:name}}`.
  private var isReference: Bool { kind == .variable && !head.isEmpty || kind == .secret }

  /// Returns a word that ends with a reference, which an escape would make text.
  private func reference(_ name: String, isPartial: Bool) -> String {
    let end = isPartial ? "" : tail
    guard quote != nil || !Self.isSafe(head + name) else { return head + name + end }
    // In single quotes it would be text.
    return "\"" + Self.escaped(head, "\"\\") + name + end + (isPartial ? "" : "\"")
  }

  /// Returns a value as text, in the quote that is open or in one that it needs.
  private func text(_ value: String, isPartial: Bool) -> String {
    guard quote != nil || !Self.isPlain(value) else { return value }
    let mark = value.contains("'") ? "\"" : quote ?? "'"
    let text = mark == "\"" ? Self.escaped(value, Self.specials) : value
    return "\(mark)\(text)\(isPartial ? "" : String(mark))"
  }

  /// The characters that have to be escaped in double quotes to be text.
  private static let specials = "\"\\${"

  private static func escaped(_ text: String, _ specials: String) -> String {
    String(text.flatMap { specials.contains($0) ? ["\\", $0] : [$0] })
  }

  private static func isSafe(_ word: String) -> Bool {
    !word.contains { " \t'\"\\;&<>#|".contains($0) }
  }

  /// Whether the line language reads a word as it is, without templates and brackets.
  private static func isPlain(_ word: String) -> Bool {
    isSafe(word) && !word.contains { "${}[]".contains($0) }
  }
}
