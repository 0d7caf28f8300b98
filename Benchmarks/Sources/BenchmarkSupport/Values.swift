/// A value the optimizer cannot see through.
@inlinable @inline(never)
public func opaque<T>(_ value: T) -> T { value }

public func column(_ text: String, _ width: Int) -> String {
  text.count >= width ? text : text + String(repeating: " ", count: width - text.count)
}

public func hundredths(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
