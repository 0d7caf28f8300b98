// Subscripts for reading and changing values, and renaming. An edit that does not apply changes
// nothing, since a migration edits the actions of all cases.

extension JSON {
  /// The value of the last member with the key, or `nil` if there is none or the value is not an
  /// object.
  ///
  /// ```swift
  /// json["pay"]["amount"] = 12  // Adds or replaces; nothing where there is no object `pay`.
  /// json["pay"]["note"] = nil   // Removes; `.null` is a value.
  /// ```
  /// Assigning a value replaces that of the member, or appends a member. Assigning `nil` removes
  /// all members with the key. If the value is not an object, nothing changes, and no objects are
  /// created.
  ///
  /// - Complexity: O(number of members), in place.
  public subscript(key: String) -> JSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.last { $0.key.hasSameBytes(as: key) }?.value
    }
    _modify {
      guard case .object(var members) = self else {
        var absent: JSON?
        yield &absent
        return
      }
      // Release the second reference to the members, and below to the value. Each would cause a
      // copy.
      self = .null
      let position = members.lastIndex { $0.key.hasSameBytes(as: key) }
      var value: JSON?
      if let position {
        value = members[position].value
        members[position].value = .null
      }
      defer {
        switch (position, value.take()) {
        case (let position?, let value?): members[position].value = value
        case (nil, let value?): members.append(Member(key, value))
        case (_?, nil): members.removeAll { $0.key.hasSameBytes(as: key) }
        case (nil, nil): break
        }
        self = .object(members)
      }
      yield &value
    }
  }

  /// The element at the index, or `nil` if there is none or the value is not an array.
  ///
  /// Assigning a value replaces the element. Assigning `nil` removes it. If there is no element at
  /// the index or the value is not an array, nothing changes.
  ///
  /// - Complexity: O(1), in place. Removing is O(number of elements).
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
      // Release the second reference, as for members.
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

  /// Renames the key of members, which keep their positions.
  ///
  /// ```swift
  /// action.rename("pay", to: "deposit")
  /// state.rename("cents", to: "amount", at: rows)  // rows: JSONPathPattern, `rows[*]`
  /// ```
  /// An object without such a member does not change, and neither does one that already has a
  /// member with the new key. Values that are not objects do not change. If no value matches the
  /// path, nothing changes.
  ///
  /// - Parameter path: The path of the objects whose members to rename. By default, this value
  ///   itself.
  /// - Returns: The number of objects that changed.
  /// - Complexity: O(number of visited members and elements), in place.
  @discardableResult
  public mutating func rename(
    _ key: String, to newKey: String, at path: JSONPathPattern = JSONPathPattern([])
  ) -> Int {
    var count = 0
    update(at: path.steps[...]) { value in
      guard case .object(var members) = value,
        members.contains(where: { $0.key.hasSameBytes(as: key) }),
        !members.contains(where: { $0.key.hasSameBytes(as: newKey) })
      else { return }
      value = .null
      for position in members.indices where members[position].key.hasSameBytes(as: key) {
        members[position].key = newKey
      }
      value = .object(members)
      count += 1
    }
    return count
  }

  /// Renames the key of members at a path that is parsed first, such as `deposit`, `rows[*]` or
  /// `api.*.timing`.
  ///
  /// - Throws: `JSONPathError` if the text is not a pattern. Then nothing has changed.
  /// - Complexity: That of `rename(_:to:at:)` with a pattern, and of parsing the path.
  @discardableResult
  public mutating func rename(
    _ key: String, to newKey: String, at path: String
  ) throws(JSONPathError) -> Int {
    rename(key, to: newKey, at: try JSONPathPattern(parsing: path))
  }

  /// Calls `change` for each value that matches the pattern.
  package mutating func update(at pattern: JSONPathPattern, _ change: (inout JSON) -> Void) {
    update(at: pattern.steps[...], change)
  }

  /// Calls `change` for each value that matches the steps. Recurses once per step.
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
  /// The member of a value that may be `nil`; see `JSON.subscript(key:)`. If it is `nil`, assigning
  /// changes nothing.
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

  /// The element of a value that may be `nil`; see `JSON.subscript(index:)`. If it is `nil`,
  /// assigning changes nothing.
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
