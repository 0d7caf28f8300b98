extension JSON {
  enum Event {
    /// Null, a Boolean value, a number or a string.
    case scalar(JSON)
    case beginArray, beginObject
    case endArray(isEmpty: Bool)
    case endObject(isEmpty: Bool)
    /// Precedes every element.
    case element(isFirst: Bool)
    /// Precedes every member's value.
    case key(String, isFirst: Bool)
  }

  /// Visits the value in order. Uses a stack on the heap, since the nesting depth depends on input
  /// and the stack of a thread is limited.
  func walk(_ visit: (Event) -> Void) {
    enum Open {
      case array([JSON], next: Int)
      case object([Member], next: Int)
    }
    var open: [Open] = []
    func enter(_ value: JSON) {
      switch value {
      case .array(let elements):
        visit(.beginArray)
        open.append(.array(elements, next: 0))
      case .object(let members):
        visit(.beginObject)
        open.append(.object(members, next: 0))
      default:
        visit(.scalar(value))
      }
    }
    enter(self)
    while let innermost = open.popLast() {
      switch innermost {
      case .array(let elements, let next):
        guard next < elements.count else {
          visit(.endArray(isEmpty: elements.isEmpty))
          continue
        }
        open.append(.array(elements, next: next + 1))
        visit(.element(isFirst: next == 0))
        enter(elements[next])
      case .object(let members, let next):
        guard next < members.count else {
          visit(.endObject(isEmpty: members.isEmpty))
          continue
        }
        open.append(.object(members, next: next + 1))
        visit(.key(members[next].key, isFirst: next == 0))
        enter(members[next].value)
      }
    }
  }
}
