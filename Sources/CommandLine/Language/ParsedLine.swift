import SwiftBoardSystem

/// What a text turned out to be.
public enum ParsedLine: Sendable, Hashable {
  /// Blank, or only a comment.
  case empty
  /// One or more commands to run in order.
  case commands(CommandList)
  /// The text so far is right, but there must be more.
  case incomplete(IncompleteLine)
  /// The text can never become a line.
  case invalid(LineSyntaxError)

  /// The prefix that was read, also where the rest is invalid.
  public var prefix: LinePrefix? {
    switch self {
    case .commands(let list): list.prefix
    case .invalid(let error): error.prefix
    case .empty, .incomplete: nil
    }
  }
}

/// The commands of one line, and the prefix for all of them.
public struct CommandList: Sendable, Hashable {
  /// What the line begins with, for all its commands: `!`, `-` or `time`.
  public var prefix: LinePrefix?
  /// Never empty.
  public var commands: [ParsedCommand]

  /// A line from its parts; `commands` must not be empty.
  public init(prefix: LinePrefix? = nil, commands: [ParsedCommand]) {
    self.prefix = prefix
    self.commands = commands
  }
}

/// One command as it was written: nothing is expanded or looked up yet.
public struct ParsedCommand: Sendable, Hashable {
  /// Never empty.
  public var words: [Word]
  /// It ended in `&`.
  public var isBackground: Bool
  /// The destination of the output; `nil`: to standard output.
  public var redirect: Redirect?

  /// A command from its words; there is at least one.
  public init(words: [Word], isBackground: Bool = false, redirect: Redirect? = nil) {
    self.words = words
    self.isBackground = isBackground
    self.redirect = redirect
  }

  /// `> FILE` or `>> FILE`.
  public struct Redirect: Sendable, Hashable {
    /// The file's name, not expanded yet.
    public var file: Word
    /// `>>`: the file is kept and added to.
    public var appends: Bool

    /// The destination of the output, and whether the file is kept.
    public init(file: Word, appends: Bool) {
      self.file = file
      self.appends = appends
    }
  }
}

/// What a line still waits for, and where that was opened.
public struct IncompleteLine: Sendable, Hashable {
  /// What is open.
  public enum Reason: Sendable, Hashable {
    /// `'` or `"`.
    case quote(Character)
    /// The brackets that are open, outermost first, and whether a JSON string is open inside them.
    case bracket(open: [Character], inString: Bool)
    /// A heredoc, by its tag.
    case heredoc(String)
    /// A `\` at the end.
    case backslash
  }

  /// What is open; changes as further lines come: see `mightEnd(with:)`.
  public var reason: Reason
  /// Which physical line it was opened on, 0 for the first.
  public var lineOffset: Int
  /// The character that opened it, from 1.
  public var column: Int
  /// The prefix that was read, which also counts for a line that never ends.
  public var prefix: LinePrefix?

  /// What is open, and where it was opened.
  public init(reason: Reason, lineOffset: Int, column: Int, prefix: LinePrefix? = nil) {
    self.reason = reason
    self.lineOffset = lineOffset
    self.column = column
    self.prefix = prefix
  }

  /// The error this becomes when no further line comes.
  public var error: LineSyntaxError {
    let message: String
    let help: String
    switch reason {
    case .quote(let mark):
      message = "the quote opened here is never closed"
      help = "close it with \(mark), or write \\\(mark) for the character itself"
    case .bracket(let open, let inString):
      let mark = open.last ?? "{"
      if inString {
        message = "a string inside this '\(open.first ?? mark)' is never closed"
        help = "close it with \""
      } else {
        message = "the '\(open.first ?? mark)' opened here is never closed"
        help = "close it with '\(mark == "{" ? "}" : "]")', or quote the word"
      }
    case .heredoc(let tag):
      message = "the text opened by <<\(tag) never ends"
      help = "end it with a line that is only \(tag)"
    case .backslash:
      message = "a line should follow the \\"
      help = "remove the \\ or add the line"
    }
    return LineSyntaxError(
      message, help: help, lineOffset: lineOffset, column: column, prefix: prefix)
  }

  /// Takes note of one further physical line, and says whether it is worth parsing the whole again.
  ///
  /// Without it a value of n lines would be parsed n times. Never says `false` when the line ends
  /// what is open or makes it invalid. Linear in `line`.
  public mutating func mightEnd(with line: String) -> Bool {
    var line = line
    if line.has(0) { return true }
    switch reason {
    case .backslash: return true
    case .heredoc(let tag): return line == tag
    case .quote("\""):
      return line.has(UInt8(ascii: "\"")) || line.has(UInt8(ascii: "\\"))
        || Self.mayInsert(&line)
    case .quote(let mark):
      return mark.asciiValue.map { line.has($0) } ?? true
    case .bracket(var open, var inString):
      if Self.mayInsert(&line) { return true }
      var isEscaped = false
      for scalar in line.unicodeScalars {
        if inString {
          if isEscaped {
            isEscaped = false
          } else if scalar == "\\" {
            isEscaped = true
          } else if scalar == "\"" {
            inString = false
          }
          continue
        }
        switch scalar {
        case "\"": inString = true
        case "{", "[": open.append(Character(scalar))
        case "}", "]":
          guard open.popLast() == (scalar == "}" ? "{" : "[") else { return true }
          if open.isEmpty { return true }
        default: break
        }
      }
      reason = .bracket(open: open, inString: inString)
      return false
    }
  }

  /// Whether a value may be inserted here, which can fail.
  private static func mayInsert(_ line: inout String) -> Bool {
    guard line.has(UInt8(ascii: "{")) else { return false }
    var previous: UInt8 = 0
    for byte in line.utf8 {
      if byte == UInt8(ascii: "{"), previous == byte || previous == UInt8(ascii: "$") {
        return true
      }
      previous = byte
    }
    return false
  }
}

extension String {
  /// Whether its UTF-8 has the byte. Linear in the text, which becomes contiguous.
  fileprivate mutating func has(_ byte: UInt8) -> Bool {
    withUTF8 { position(of: byte, in: UnsafeRawBufferPointer($0)) != nil }
  }
}
