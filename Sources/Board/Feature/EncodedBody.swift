import SwiftBoardJSON

/// A body that is no text in the value of an answer: its bytes in base64.
public enum EncodedBody {
  /// The member that says how the member `body` is written.
  public static let member = "bodyEncoding"
  /// What it says of bytes that are no text.
  public static let base64 = "base64"

  /// Whether a path of a value leads into such a body: put into a line it would be something else.
  static func isPart(_ path: String, of value: JSON) -> Bool {
    value[member]?.stringValue == base64 && value["verdict"] != nil
      && (path == "body" || path.hasPrefix("body.") || path.hasPrefix("body["))
  }
}
