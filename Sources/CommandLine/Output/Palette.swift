/// The appearance of each style.
package enum Palette {
  /// One of the sixteen colors that every terminal has.
  package enum Color: Int, Sendable {
    case red = 31
    case green, yellow, blue, magenta, cyan
    case gray = 90

    /// The color on a dark background, as in `#rrggbb`.
    package var hex: String {
      switch self {
      case .red: "#ff7b72"
      case .green: "#7ee787"
      case .yellow: "#e3b341"
      case .blue: "#79c0ff"
      case .magenta: "#d2a8ff"
      case .cyan: "#56d4dd"
      case .gray: "#8b949e"
      }
    }
  }

  /// How text looks.
  package struct Appearance: Sendable, Equatable {
    package var color: Color?
    package var isBold = false
  }

  /// The escape sequence that ends a style.
  static let reset = "\u{1B}[0m"

  /// Returns the appearance of a style.
  static func appearance(_ style: StyledText.Style) -> Appearance {
    switch style {
    case .heading, .header, .prompt: Appearance(isBold: true)
    case .name: Appearance(color: .cyan)
    case .key: Appearance(color: .blue)
    case .string: Appearance(color: .green)
    case .number: Appearance(color: .cyan)
    case .constant: Appearance(color: .magenta)
    case .success: Appearance(color: .green)
    case .notice: Appearance(color: .cyan)
    case .warning: Appearance(color: .yellow, isBold: true)
    case .error: Appearance(color: .red, isBold: true)
    case .faint: Appearance(color: .gray)
    case .json: Appearance()
    }
  }

  /// Returns the escape sequence that begins a style.
  static func escapeSequence(_ style: StyledText.Style) -> String {
    let appearance = appearance(style)
    let codes =
      (appearance.isBold ? ["1"] : []) + (appearance.color.map { ["\($0.rawValue)"] } ?? [])
    return "\u{1B}[\(codes.joined(separator: ";"))m"
  }
}
