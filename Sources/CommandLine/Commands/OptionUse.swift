/// An option as it is written in a word.
package struct OptionUse: Sendable {
  /// What the word says of its value.
  package enum Value: Sendable {
    /// It takes none, and is turned on or off.
    case flag(Bool)
    /// The value is a part of the word.
    case attached(Argument)
    /// The value is the next word.
    case next
  }

  /// The option.
  package var option: OptionSpec
  /// The option as it is written, for errors: `--name` or `-n`.
  package var spelling: String
  /// What the word says of its value.
  package var value: Value
}

extension Argument {
  /// Returns the options of a word that begins with a dash: `--name`, `--name=VALUE`, `--no-name`,
  /// or letters of flags with at most one other option behind them: `-qn`, `-qnVALUE`.
  ///
  /// - Parameters:
  ///   - known: The options that there are. Of equal names, the first counts.
  ///   - unknown: The error for a spelling that none of them has.
  /// - Throws: That error, or that a flag takes no value.
  package func options(
    among known: [OptionSpec], unknown: (String) -> UsageError
  ) throws(UsageError) -> [OptionUse] {
    leadingText.hasPrefix("--")
      ? [try longOption(among: known, unknown)] : try shortOptions(among: known, unknown)
  }

  private func longOption(
    among known: [OptionSpec], _ unknown: (String) -> UsageError
  ) throws(UsageError) -> OptionUse {
    let text = String(leadingText.dropFirst(2))
    let cut = text.cutAtEquals()
    let name = cut?.name ?? text
    let found = known.first { $0.name == name || $0.isNegatable && "no-\($0.name)" == name }
    guard let option = found else { throw unknown("--\(name)") }
    // What follows the name without '=' has another name.
    guard cut != nil || parts.count <= 1 else { throw unknown(shown) }
    let value: OptionUse.Value
    if option.isFlag {
      if cut != nil { throw UsageError("--\(name) takes no value", at: self) }
      value = .flag(option.name == name)
    } else if cut != nil {
      value = .attached(droppingLeading(name.unicodeScalars.count + 3))
    } else {
      value = .next
    }
    return OptionUse(option: option, spelling: "--\(name)", value: value)
  }

  private func shortOptions(
    among known: [OptionSpec], _ unknown: (String) -> UsageError
  ) throws(UsageError) -> [OptionUse] {
    let letters = leadingText.unicodeScalars.dropFirst().map(Character.init)
    var uses: [OptionUse] = []
    for (offset, letter) in letters.enumerated() {
      guard let option = known.first(where: { $0.short == letter }) else {
        throw unknown(offset == 0 && letters.count > 1 ? leadingText : "-\(letter)")
      }
      var use = OptionUse(option: option, spelling: "-\(letter)", value: .flag(true))
      if !option.isFlag {
        let value = droppingLeading(offset + 2)
        use.value = value.parts.isEmpty ? .next : .attached(value)
      }
      uses.append(use)
      if !option.isFlag { return uses }
    }
    guard parts.count <= 1 else { throw unknown(shown) }
    return uses
  }
}
