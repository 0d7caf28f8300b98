// Subscripts that read and change, and renaming. An edit that does not fit changes nothing: a
// migration goes through actions of all cases, and changes the ones that have the member it names.

extension JSON {
  /// The last member of that key; nil if there is none, or no object.
  ///
  /// ```swift
  /// json["pay"]["amount"] = 12  // Adds or replaces; nothing where there is no object `pay`.
  /// json["pay"]["note"] = nil   // Removes; `.null` is a value.
  /// ```
  /// Assigning replaces the value of that member, or adds one after the others; nil removes every
  /// member of that key. Nothing changes where the value is no object: objects on the way are not
  /// made.
  ///
  /// - Complexity: O(number of members), in place.
  public subscript(key: String) -> JSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.last { $0.hasKey(key) }?.value
    }
    _modify {
      guard case .object(var members) = self else {
        var absent: JSON?
        yield &absent
        return
      }
      // Ends the second reference to the members, and below to the value: each would cost a copy.
      self = .null
      let position = members.lastIndex { $0.hasKey(key) }
      var value: JSON?
      if let position {
        value = members[position].value
        members[position].value = .null
      }
      defer {
        switch (position, value.take()) {
        case (let position?, let value?): members[position].value = value
        case (nil, let value?): members.append(Member(key, value))
        case (_?, nil): members.removeAll { $0.hasKey(key) }
        case (nil, nil): break
        }
        self = .object(members)
      }
      yield &value
    }
  }

  /// The element at that index; nil if there is none, or no array.
  ///
  /// Assigning replaces the element; nil removes it, and the later ones move up. Nothing changes if
  /// there is no element at that index, or no array.
  ///
  /// - Complexity: O(1), in place; removing O(number of elements).
  public subscript(index: Int) -> JSON? {
    get {
      guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
      return elements[index]
    }
    _modify {
      guard case .array(var elements) = self, elements.indices.contains(index) else {
        var absent: JSON?
        yield &absent
        return
      }
      // As for members.
      self = .null
      var element: JSON? = elements[index]
      elements[index] = .null
      defer {
        if let element = element.take() {
          elements[index] = element
        } else {
          elements.remove(at: index)
        }
        self = .array(elements)
      }
      yield &element
    }
  }

  /// Gives members another key, in their place.
  ///
  /// ```swift
  /// action.rename("pay", to: "deposit")
  /// state.rename("cents", to: "amount", at: rows)  // rows: JSONPathPattern, `rows[*]`
  /// ```
  /// An object that has no such member stays as it is, and so does one that has a member of the new
  /// key already: none is lost. So do values that are no objects, and all where the path leads
  /// nowhere.
  ///
  /// - Parameter path: The objects whose members are meant; this value itself if there is none.
  /// - Returns: The number of objects that changed.
  /// - Complexity: O(number of members and elements passed), in place.
  @discardableResult
  public mutating func rename(
    _ key: String, to newKey: String, at path: JSONPathPattern = JSONPathPattern([])
  ) -> Int {
    var count = 0
    update(at: path.steps[...]) { value in
      guard case .object(var members) = value, members.contains(where: { $0.hasKey(key) }),
        !members.contains(where: { $0.hasKey(newKey) })
      else { return }
      value = .null
      for position in members.indices where members[position].hasKey(key) {
        members[position].key = newKey
      }
      value = .object(members)
      count += 1
    }
    return count
  }

  /// `rename(_:to:at:)` at a path that is read first: `deposit`, `rows[*]`, `api.*.timing`.
  ///
  /// - Throws: `JSONPathError` for a text that is no pattern; then nothing has changed.
  /// - Complexity: That of reading the path besides.
  @discardableResult
  public mutating func rename(
    _ key: String, to newKey: String, at path: String
  ) throws(JSONPathError) -> Int {
    rename(key, to: newKey, at: try JSONPathPattern(parsing: path))
  }

  /// Calls `change` for each value that the pattern leads to.
  package mutating func update(at pattern: JSONPathPattern, _ change: (inout JSON) -> Void) {
    update(at: pattern.steps[...], change)
  }

  /// Calls `change` for each value that the steps lead to. Recurses once a step.
  private mutating func update(
    at steps: ArraySlice<JSONPathPattern.Step>, _ change: (inout JSON) -> Void
  ) {
    guard let step = steps.first else { return change(&self) }
    let rest = steps.dropFirst()
    switch self {
    case .object(var members):
      self = .null
      for position in members.indices where step.matches(key: members[position].key) {
        members[position].value.update(at: rest, change)
      }
      self = .object(members)
    case .array(var elements):
      self = .null
      for position in elements.indices where step.matches(index: position, elements[position]) {
        elements[position].update(at: rest, change)
      }
      self = .array(elements)
    case .null, .bool, .number, .string: break
    }
  }
}

extension JSON? {
  /// The member of a value that may not be there: see `JSON.subscript(key:)`. Assigning changes
  /// nothing where it is not.
  public subscript(key: String) -> JSON? {
    get { self?[key] }
    _modify {
      guard self != nil else {
        var absent: JSON?
        yield &absent
        return
      }
      // The value exists, as checked above; binding it to a name would copy it.
      yield &self![key]
    }
  }

  /// The element of a value that may not be there: see `JSON.subscript(index:)`. Assigning changes
  /// nothing where it is not.
  public subscript(index: Int) -> JSON? {
    get { self?[index] }
    _modify {
      guard self != nil else {
        var absent: JSON?
        yield &absent
        return
      }
      // As above.
      yield &self![index]
    }
  }
}

extension JSON.Member {
  /// Whether the key has the same bytes; `==` would take other spellings of a letter for it.
  fileprivate func hasKey(_ other: String) -> Bool { key.utf8.elementsEqual(other.utf8) }
}
