/// Finds the known word that is closest to a mistyped one.
package enum Suggestion {
  /// Returns the nearest of `candidates` by Damerau–Levenshtein distance (adjacent letters may be
  /// swapped), ignoring case.
  ///
  /// The distance is at most 2, and at most 1 for words of up to four letters. Among equally near
  /// candidates, the first one wins. Returns `nil` if none is near or if the word is known. Cost:
  /// the product of the lengths for each candidate of similar length.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let typed = Array(word.lowercased().unicodeScalars)
    guard !typed.isEmpty, typed.count <= 64 else { return nil }
    var best: (distance: Int, word: String)?
    for candidate in candidates where candidate != word {
      let known = Array(candidate.lowercased().unicodeScalars)
      let shorter = min(typed.count, known.count)
      let limit = shorter <= 1 ? 0 : shorter <= 4 ? 1 : 2
      guard abs(known.count - typed.count) <= limit else { continue }
      let distance = distance(typed, known)
      if distance <= limit, distance < best?.distance ?? .max { best = (distance, candidate) }
    }
    return best?.word
  }

  /// Returns advice with the nearest word: `did you mean 'api'?`.
  ///
  /// - Parameter path: The words before it, which the advice repeats.
  package static func advice(
    for word: String, among candidates: some Sequence<String>, after path: [String] = []
  ) -> String? {
    let synonym = synonyms[word].flatMap { synonym in candidates.first { $0 == synonym } }
    return (synonym ?? nearest(to: word, among: candidates)).map { word in
      "did you mean '\((path + [word]).joined(separator: " "))'?"
    }
  }

  /// Words that other programs have for commands of the board.
  private static let synonyms = [
    "quit": "exit", "q": "exit", "bye": "exit", "logout": "exit", "?": "help", "man": "help",
  ]

  /// Returns the optimal string alignment distance: insert, delete, replace, or swap neighbors.
  static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var older = [Int](repeating: 0, count: b.count + 1)
    var old = Array(0...b.count)
    var row = old
    for i in a.indices {
      row[0] = i + 1
      for j in b.indices {
        let replaced = old[j] + (a[i] == b[j] ? 0 : 1)
        row[j + 1] = min(replaced, old[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          row[j + 1] = min(row[j + 1], older[j - 1] + 1)
        }
      }
      (older, old, row) = (old, row, older)
    }
    return old[b.count]
  }
}
