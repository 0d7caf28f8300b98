import SwiftBoardJSON

/// Returns the text of an error of encoding or decoding, with the path of the value.
func codingReason(_ error: any Error) -> String {
  let context: (path: [any CodingKey], text: String)
  switch error {
  case EncodingError.invalidValue(_, let place):
    context = (place.codingPath, place.debugDescription)
  case DecodingError.typeMismatch(_, let place), DecodingError.valueNotFound(_, let place),
    DecodingError.keyNotFound(_, let place), DecodingError.dataCorrupted(let place):
    context = (place.codingPath, place.debugDescription)
  default: return "\(error)"
  }
  return (context.path.isEmpty ? "" : "\(JSONPath(codingPath: context.path)): ") + context.text
}
