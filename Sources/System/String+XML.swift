extension String {
  /// Returns the text escaped for attributes and text of XML. Characters that XML does not allow,
  /// not even escaped, become U+FFFD.
  ///
  /// - Parameter asciiOnly: Whether to escape all characters beyond ASCII, too.
  package func escapedForXML(asciiOnly: Bool = false) -> String {
    unicodeScalars.reduce(into: "") { escaped, scalar in
      switch scalar {
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "&": escaped += "&amp;"
      case "\"": escaped += "&quot;"
      case "\n": escaped += "&#10;"
      case "\t": escaped += "&#9;"
      case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}":
        escaped += asciiOnly ? "&#xfffd;" : "\u{FFFD}"
      case "\u{20}"..."\u{7E}": escaped.unicodeScalars.append(scalar)
      case _ where asciiOnly: escaped += "&#x\(String(scalar.value, radix: 16));"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
  }
}
