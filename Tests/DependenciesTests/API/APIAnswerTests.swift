import SwiftBoardDependencies
import SwiftBoardJSON
import SwiftBoardSystem
import Testing

@Suite("Answers")
struct APIAnswerTests {
  private static func answer(_ text: String?) -> APIAnswer {
    var answer = APIAnswer(method: "GET", url: "http://h/", status: 200)
    answer.text = text
    return answer
  }

  /// Each text with the number of its bytes that need an escape of two bytes, a control character
  /// counting for five.
  @Test(
    "a body is written as text if escaping adds less than 40 %, and in base64 otherwise",
    arguments: [
      ("", true), ("plain", true), (#"{"a":12}"#, true), (#""ab"12"#, true), (#""abc""#, false),
      ("\"", false), (#"["a","b","c"]"#, false), (String(repeating: "x", count: 12), true),
      ("\u{1}" + String(repeating: "x", count: 11), false),
      ("\u{1}" + String(repeating: "x", count: 12), true), ("é\n", true), ("\n\n\u{7F}\n", false),
    ])
  func form(text: String, isText: Bool) throws {
    let answer = Self.answer(text)
    let json = try JSON(parsing: CanonicalEncoder.encode(answer))
    #expect(json["text"] == (isText ? .string(text) : nil))
    #expect(
      json["base64"] == (isText ? nil : .string(Data(text.utf8).base64EncodedString())))
    let read = try CanonicalDecoder.decode(APIAnswer.self, from: Array(json.text.utf8))
    #expect(read == answer && read.text == text)
    #expect(Self.answer(nil) != answer)
  }

  @Test("a body that was taken away is neither text nor base64", arguments: ["plain", "\n\n"])
  func removed(text: String) throws {
    var answer = Self.answer(text)
    answer.text = nil
    #expect(answer.text == nil && answer.base64 == nil)
  }
}
