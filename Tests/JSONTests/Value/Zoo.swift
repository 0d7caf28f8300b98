import SwiftBoardTesting

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// All shapes that `Codable` knows, for round trips.
struct Zoo: Codable, Hashable {
  enum Kind: String, Codable, Hashable, CaseIterable { case small, large }

  enum Action: Codable, Hashable {
    case plain
    case unlabelled(Int, String)
    case labelled(status: Int, name: String?)
    indirect case nested(Action)
    case point(Point)
  }

  struct Point: Codable, Hashable {
    var x: Double
    var y: Double
  }

  struct Options: OptionSet, Codable, Hashable {
    var rawValue: Int
  }

  struct Tags: RawRepresentable, Codable, Hashable {
    var rawValue: Set<String>
  }

  var int = 0
  var small: Int8 = 0
  var large: UInt64 = 0
  var double = 0.0
  var float: Float = 0
  var text = ""
  var flag = false
  var kind = Kind.small
  var optional: Int?
  var nested: [String?] = []
  var action = Action.plain
  var actions: [Action] = []
  var points: Set<Point> = []
  var byName: [String: Point] = [:]
  var byNumber: [Int: String] = [:]
  var byKind: [Kind: Int] = [:]
  var byPoint: [Point: [Int]] = [:]
  var options: Options = []
  var tags = Tags(rawValue: [])
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var data = Data()
  var uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))
  var url: URL?
  var bytes: [UInt8] = []
  var duration = Duration.zero
  var range = 0..<1

  static func random(_ random: inout SeededRandom) -> Zoo {
    func point() -> Point {
      Point(
        x: Double(Int.random(in: -9...9, using: &random)), y: .random(in: -1...1, using: &random))
    }
    func action(_ depth: Int) -> Action {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: .unlabelled(.random(in: -99...99, using: &random), random.text())
      case 1: .labelled(status: 200, name: Bool.random(using: &random) ? nil : random.text())
      case 2 where depth > 0: .nested(action(depth - 1))
      case 3: .point(point())
      default: .plain
      }
    }
    func count() -> Range<Int> { 0..<Int.random(in: 0..<6, using: &random) }
    var zoo = Zoo()
    zoo.int = Int(truncatingIfNeeded: random.next())
    zoo.small = .random(in: .min ... .max, using: &random)
    zoo.large = random.next()
    zoo.double = Double(bitPattern: random.next())
    if zoo.double.isNaN { zoo.double = .infinity }
    zoo.float = Float.random(in: -1...1, using: &random)
    zoo.text = random.text()
    zoo.flag = .random(using: &random)
    zoo.kind = Kind.allCases.randomElement(using: &random) ?? .small
    zoo.optional = .random(using: &random) ? nil : 7
    zoo.nested = count().map { _ in Bool.random(using: &random) ? nil : random.text() }
    zoo.action = action(3)
    zoo.actions = count().map { _ in action(3) }
    zoo.points = Set(count().map { _ in point() })
    for _ in count() { zoo.byName[random.text()] = point() }
    for _ in count() { zoo.byNumber[.random(in: -500...500, using: &random)] = random.text() }
    for kind in Kind.allCases where Bool.random(using: &random) { zoo.byKind[kind] = 1 }
    for _ in count() { zoo.byPoint[point()] = count().map { $0 } }
    zoo.options = Options(rawValue: 5)
    zoo.tags = Tags(rawValue: Set(count().map { _ in random.text() }))
    let micros = Int.random(in: -60_000_000_000_000_000...250_000_000_000_000_000, using: &random)
    zoo.date = Date(timeIntervalSinceReferenceDate: Double(micros / 1_000_000))
    zoo.data = Data((0..<UInt8.random(in: 0..<9, using: &random)).map { $0 &* 91 })
    zoo.url = URL(string: "https://example.org/a?b=\(zoo.small)")
    zoo.bytes = Array(zoo.data)
    zoo.duration = .milliseconds(Int.random(in: -9999...9999, using: &random))
    return zoo
  }
}

class Animal: Codable {
  var name: String
  var legs: Int
  init(name: String, legs: Int) {
    self.name = name
    self.legs = legs
  }
}

/// Hands its superclass an encoder of its own, under `super`.
final class Dog: Animal {
  var tricks: Set<String>
  private enum CodingKeys: CodingKey { case tricks, age }

  init(name: String, tricks: Set<String>) {
    self.tricks = tricks
    super.init(name: name, legs: 4)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    tricks = try container.decode(Set<String>.self, forKey: .tricks)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try super.encode(to: container.superEncoder())
    try container.encode(tricks, forKey: .tricks)
  }
}

/// Writes beside its superclass into one container.
final class Cat: Animal {
  var lives = 9
  private enum CodingKeys: CodingKey { case lives }

  init(name: String) { super.init(name: name, legs: 4) }

  required init(from decoder: any Decoder) throws {
    lives = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .lives)
    try super.init(from: decoder)
  }

  override func encode(to encoder: any Encoder) throws {
    try super.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(lives, forKey: .lives)
  }
}
