// The module is built for testing: what decodes keys is public in no way.
@testable import SwiftBoardCommandLine

/// One input: the bytes that a terminal sends. The first byte says how they are split into reads.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 0 else { return 0 }
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  let keys = decode(Array(input.dropFirst()), chunk: 1 + Int(input[0]))
  edit(keys)
  return 0
}

/// A defect: stops the fuzzer, which keeps the input.
func require(_ condition: Bool, _ message: @autoclosure () -> String, line: UInt = #line) {
  if !condition { fatalError("line \(line): \(message())") }
}

/// The keys of any bytes are the same however they arrive, and none inserts a control character.
func decode(_ bytes: [UInt8], chunk: Int) -> [Key] {
  var (whole, split) = (KeyDecoder(), KeyDecoder())
  var keys = whole.decode(bytes)
  var other: [Key] = []
  for start in stride(from: 0, to: bytes.count, by: chunk) {
    other += split.decode(bytes[start..<min(start + chunk, bytes.count)])
  }
  require(whole.isWaiting == split.isWaiting, "reads change whether a key is awaited")
  keys += whole.timeOut()
  other += split.timeOut()
  require(joined(keys) == joined(other), "reads change the keys")
  require(!whole.isWaiting, "a key is awaited after the time limit")
  for case .text(let text) in keys {
    require(!text.isEmpty, "a text without characters")
    require(
      !text.unicodeScalars.contains { $0.properties.generalCategory == .control },
      "a control character is text")
  }
  return keys
}

/// The keys with texts that follow each other as one. A read may end within a text.
func joined(_ keys: [Key]) -> [Key] {
  keys.reduce(into: []) { result, key in
    if case .text(let next) = key, case .text(let text)? = result.last {
      result[result.count - 1] = .text(text + next)
    } else {
      result.append(key)
    }
  }
}

/// Any keys leave an editor that can be drawn, with the cursor in its text.
func edit(_ keys: [Key]) {
  let prompt = EditorPrompt(first: "board> ", continuation: "... ")
  var editor = LineEditorState(history: LineHistory([LineHistory.Entry("echo one")]))
  var renderer = ScreenRenderer(columns: 30, height: 8, usesColor: true)
  _ = editor.apply(.begin(prompt: prompt))
  for key in keys {
    var request = editor.apply(.keys([key]))
    while let asked = request {
      request = editor.apply(
        .completed(
          id: asked.id,
          answer: CompletionAnswer(
            replacedCount: 0, candidates: [CompletionAnswer.Candidate("one")])))
    }
    require(
      (0...editor.text.characters.count).contains(editor.text.cursor), "the cursor is outside")
    let view = EditorView(editor, showsHints: true, isASCII: false)
    if editor.phase == .idle {
      _ = renderer.finish(view)
      _ = editor.apply(.begin(prompt: prompt))
    } else {
      _ = renderer.draw(view)
      if editor.signal != nil { _ = editor.apply(.resumed) }
    }
  }
}
