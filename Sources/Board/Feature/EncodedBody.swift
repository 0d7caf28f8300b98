import SwiftBoardJSON

/// The encoding of a body that is not text: base64 in the command's value.
public enum EncodedBody {
  /// The key of the member that names the encoding of `body`.
  public static let member = "bodyEncoding"
  /// The name of the base64 encoding.
  public static let base64 = "base64"

  /// Whether a path leads into an encoded body. Its base64 text must not be inserted into a line.
  static func isPart(_ path: String, of value: JSON) -> Bool {
    value[member]?.stringValue == base64 && value["verdict"] != nil
      && (path == "body" || path.hasPrefix("body.") || path.hasPrefix("body["))
  }
}
