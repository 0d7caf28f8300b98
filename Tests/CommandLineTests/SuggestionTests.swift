import SwiftBoardTesting
import Testing

@testable import SwiftBoardCommandLine

struct SuggestionTests {
  static let words = [
    "api", "keychain", "db", "log", "characters", "session", "open", "help", "history", "jobs",
    "wait", "cancel",
    "effects", "set", "unset", "alias", "source", "echo", "assert", "state", "doctor",
    "completions", "exit",
  ]

  @Test("single edits of longer words are found")
  func typos() {
    var generator = SeededRandom(seed: 7)
    for word in Self.words where word.count >= 4 {
      for _ in 0..<20 {
        var letters = Array(word.unicodeScalars)
        let location = Int.random(in: 0..<letters.count, using: &generator)
        let letter = ["q", "x", "z"].randomElement(using: &generator) ?? "q" as Unicode.Scalar
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: letters[location] = letter
        case 1: letters.insert(letter, at: location)
        case 2: letters.remove(at: location)
        default: letters.swapAt(location, (location + 1) % letters.count)
        }
        let typed = String(String.UnicodeScalarView(letters))
        guard typed != word,
          Suggestion.distance(Array(typed.unicodeScalars), Array(word.unicodeScalars)) == 1
        else { continue }
        let found = Suggestion.nearest(to: typed, among: Self.words)
        // "uset" is one edit away from two words: either will do.
        let isNear = found.map {
          Suggestion.distance(Array(typed.unicodeScalars), Array($0.unicodeScalars)) == 1
        }
        #expect(isNear == true, "\(typed): \(found ?? "nothing")")
      }
    }
  }

  @Test("words of other programs are answered with those of the board")
  func synonyms() {
    #expect(Suggestion.advice(for: "quit", among: ["help", "exit"]) == "did you mean 'exit'?")
    #expect(Suggestion.advice(for: "?", among: ["help", "exit"]) == "did you mean 'help'?")
    #expect(Suggestion.advice(for: "quit", among: ["list"]) == nil)
  }

  @Test(
    "near and far",
    arguments: [
      ("apj", "api"), ("pai", "api"), ("dbb", "db"), ("keychian", "keychain"), ("HELP", "help"),
      ("sesion", "session"), ("charactres", "characters"),
    ])
  func near(typed: String, expected: String) {
    #expect(Suggestion.nearest(to: typed, among: Self.words) == expected)
  }

  @Test(
    "far words give nothing",
    arguments: [
      "", "x", "zz", "nope", "banana", "xyz", "hlkjhlkjh", "curl", "git", "keyboard", "quitting",
      "a b c",
      "漢字",
    ])
  func far(typed: String) {
    #expect(Suggestion.nearest(to: typed, among: Self.words) == nil)
  }

  @Test("distance is Damerau's")
  func distance() {
    let cases = [
      ("ab", "ba", 1), ("abc", "abc", 0), ("", "ab", 2), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ]
    for (a, b, expected) in cases {
      #expect(Suggestion.distance(Array(a.unicodeScalars), Array(b.unicodeScalars)) == expected)
    }
  }
}
