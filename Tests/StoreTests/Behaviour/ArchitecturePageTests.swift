import SwiftBoardTestSupport
import Testing

/// The modules, folders and functions of docs/architecture.md are those of the sources.
@Suite("docs/architecture.md")
struct ArchitecturePageTests {
  @Test("each hop of a walk is declared in the file or folder that it names, by the type it names")
  func hops() throws {
    let walks = try Walk.all()
    #expect(walks.count == 3)
    for walk in walks {
      #expect((1..<15).contains(walk.hops.count), "\(walk.title) has \(walk.hops.count) hops")
      for hop in walk.hops {
        let files = try SourceTree.swiftFiles(in: hop.source)
        let isDeclared = try files.contains { path in
          try Declarations.names(in: SourceTree.text(path)).contains(hop.name)
        }
        #expect(isDeclared, "\(hop.source) does not declare \(hop.name), a hop of: \(walk.title)")
      }
    }
  }

  @Test("a drawing has the hops of its walk, in their order")
  func drawings() throws {
    for walk in try Walk.all() {
      #expect(walk.drawn == walk.hops.map(\.name), "\(walk.title)")
    }
  }

  @Test("modules depend on those that the page allows, and import no others")
  func modules() throws {
    let allowed = try Module.allowed()
    let modules = try Module.all()
    #expect(modules.count > 7)
    let folders = Dictionary(uniqueKeysWithValues: modules.map { ($0.name, $0.folder) })
    // The toolchain's modules are for every module.
    let own = try Set(folders.keys).union(Module.systemLibraries())
    for module in modules {
      guard let allowed = allowed[module.folder] else {
        Issue.record("the page does not have the module \(module.folder)")
        continue
      }
      let dependencies = Set(module.dependencies.map { folders[$0] ?? $0 })
      #expect(
        dependencies.isSubset(of: allowed),
        "\(module.folder) depends on more than the page allows it to know")
      for path in try SourceTree.swiftFiles(in: "Sources/\(module.folder)") {
        let imports = try Declarations.imports(in: SourceTree.text(path))
          .filter { own.contains($0) }.map { folders[$0] ?? $0 }
        #expect(allowed.isSuperset(of: imports), "\(path)")
      }
    }
  }

  @Test("only the composition root and Dependencies name live services")
  func liveServices() throws {
    let services = "Sources/Dependencies/"
    let declared = try SourceTree.swiftFiles(in: "Sources/Dependencies").flatMap { path in
      try SourceTree.text(path).matches(of: #/(?:struct|class|enum|actor) (Live\w+)/#)
        .map { String($0.1) }
    }
    #expect(declared.contains("LiveAPIClient"))
    // It is no service: Board fills it in, and the root makes services of it.
    let names = Set(declared).subtracting(["LiveConfiguration"])
    for path in try SourceTree.swiftFiles(in: "Sources")
    where !path.hasPrefix(services) && path != "Sources/swiftboard/CompositionRoot.swift" {
      let text = try SourceTree.text(path)
      let words = Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
      #expect(words.isDisjoint(with: names), "\(path) names a live service")
      #expect(
        !text.contains(#/\.live\(|\bDependencies\.live\b/#), "\(path) makes live services")
    }
  }

  @Test("folders of modules that the page lists are there")
  func folders() throws {
    let listed = try Module.listedFolders()
    for module in try Module.all() {
      let path = "Sources/\(module.folder)/"
      let folders = try #require(listed[path], "the page does not have the folders of \(path)")
      let found = try Set(
        SourceTree.swiftFiles(in: "Sources/\(module.folder)")
          .map { $0.dropFirst(path.count) }
          .filter { $0.contains("/") }.map { String($0.prefix { $0 != "/" }) })
      // The files of a module may be on one level.
      #expect(folders == found, "\(path)")
    }
  }

  @Test("a declaration is found by its type, and in it alone")
  func declarations() {
    let names = Declarations.names(
      in: """
        /// struct Comment { func no() }
        public final class Outer<T>: Base {
          @inlinable
          public init?(_ value: T) {}
          struct Inner {
            private static func deep<R>(
              _ body: () -> R
            ) {}
          }
          var value: Int {
            func local() {}
            return 1
          }
        }

        extension Outer.Inner where T == Int {
          mutating func more() {}
        }

        func free() {}
        """)
    #expect(
      names == [
        "Outer.init", "Outer.Inner.deep", "Outer.value", "Outer.Inner.more", "free",
      ])
  }
}

/// A walk of the page: a heading, a drawing, and numbered hops.
private struct Walk {
  struct Hop {
    var name: String
    var source: String
  }

  var title: String
  var drawn: [String] = []
  var hops: [Hop] = []

  static func all() throws -> [Walk] {
    var walks: [Walk] = []
    var isDrawing = false
    for line in try SourceTree.text("docs/architecture.md").split(separator: "\n") {
      if line.hasPrefix("### ") { walks.append(Walk(title: String(line.dropFirst(4)))) }
      if line.hasPrefix("```") { isDrawing.toggle() }
      guard var walk = walks.popLast() else { continue }
      defer { walks.append(walk) }
      if isDrawing {
        // A hop is a number and a name; the rest is the head and arrows.
        let words = line.split { " ─└┘►◄".contains($0) }.map(String.init)
        if words.count == 2, let number = Int(words[0]) {
          #expect(number == walk.drawn.count + 1, "\(line)")
          walk.drawn.append(words[1])
        }
      } else if let number = line.firstMatch(of: #/^(\d+)\. /#)?.1 {
        let spans = line.codeSpans
        #expect(Int(number) == walk.hops.count + 1 && spans.count > 1, "\(line)")
        if spans.count > 1 { walk.hops.append(Hop(name: spans[0], source: spans[1])) }
      }
    }
    return walks
  }
}

/// A module of the package, as Package.swift has it.
private struct Module {
  var name: String
  var folder: String
  var dependencies: [String]

  static func all() throws -> [Module] {
    let package = try SourceTree.text("Package.swift")
    let library = #/module\(\s*"(\w+)",\s*folder:\s*"(\w+)"(?:,\s*dependencies:\s*\[([^\]]*)\])?/#
    let executable =
      #/
      \.executableTarget\( \s* name: \s* "(\w+)", \s*
      dependencies: \s* \[ ([\s\S]*?) \], \s*
      path: \s* "Sources\/(\w+)"
      /#
    func names(_ list: Substring) -> [String] {
      list.matches(of: #/"(\w+)"/#).map { String($0.1) }
    }
    return package.matches(of: library).map {
      Module(name: String($0.1), folder: String($0.2), dependencies: names($0.3 ?? ""))
    }
      + package.matches(of: executable).map {
        Module(name: String($0.1), folder: String($0.3), dependencies: names($0.2))
      }
  }

  static func systemLibraries() throws -> [String] {
    try SourceTree.text("Package.swift").matches(of: #/\.systemLibrary\(\s*name:\s*"(\w+)"/#)
      .map { String($0.1) }
  }

  /// What each folder of the page's table may know.
  static func allowed() throws -> [String: Set<String>] {
    var result: [String: Set<String>] = [:]
    for line in try SourceTree.text("docs/architecture.md").split(separator: "\n")
    where line.hasPrefix("| `") {
      let cells = line.dropLast().split(separator: "|").map { $0.codeSpans }
      if let folder = cells.first?.first { result[folder] = Set(cells.last ?? []) }
    }
    return result
  }

  /// The folders of the page's list, by the path of their module.
  static func listedFolders() throws -> [String: Set<String>] {
    var result: [String: Set<String>] = [:]
    var module = ""
    for line in try SourceTree.text("docs/architecture.md").split(separator: "\n") {
      if line.hasPrefix("- `Sources/"), let path = line.codeSpans.first {
        module = path
        result[module] = []
      } else if line.hasPrefix("  - `"), let name = line.codeSpans.first {
        result[module, default: []].insert(String(name.dropLast()))
      }
    }
    return result
  }
}

/// What a file in the format of the repository declares; it relies on two spaces a level.
private enum Declarations {
  /// Functions, initializers and properties as `Type.name`, and functions of no type as `name`.
  static func names(in text: String) -> Set<String> {
    var names: Set<String> = []
    var types: [(name: Substring, indent: Int)] = []
    for line in text.split(separator: "\n") {
      let indent = line.prefix { $0 == " " }.count
      let code = line.dropFirst(indent)
      if code.hasPrefix("//") || code.hasPrefix("#") { continue }
      while let type = types.last, type.indent >= indent, code.first != "}" { types.removeLast() }
      guard indent == 2 * types.count, let (kind, name) = declaration(code) else { continue }
      if ["struct", "class", "enum", "actor", "protocol", "extension"].contains(kind) {
        types.append((name, indent))
      } else if kind == "func" || !types.isEmpty {
        names.insert((types.map(\.name) + [name]).joined(separator: "."))
      }
    }
    return names
  }

  /// The keyword and the name of what a line declares; `nil` for other lines.
  private static func declaration(_ code: Substring) -> (kind: Substring, name: Substring)? {
    let words = code.split { !$0.isLetter && !$0.isNumber && !"_.".contains($0) }
    // `class func` is no class.
    guard
      let index = words.firstIndex(where: { kinds.contains($0) }),
      words[..<index].allSatisfy({ modifiers.contains($0) })
    else { return nil }
    if words[index] == "init" { return ("init", "init") }
    return index + 1 < words.count ? (words[index], words[index + 1]) : nil
  }

  private static let kinds: Set<Substring> = [
    "struct", "class", "enum", "actor", "protocol", "extension", "func", "init", "var", "let",
  ]
  private static let modifiers: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private", "open", "static", "final",
    "mutating", "nonmutating", "consuming", "borrowing", "override", "convenience", "required",
    "indirect", "lazy", "weak", "unowned", "nonisolated", "nonsending", "usableFromInline",
    "inlinable", "discardableResult", "set", "async",
  ]

  /// The modules that a file imports.
  static func imports(in text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      guard line.contains("import ") else { return nil }
      let words = line.split(separator: " ").drop { $0.hasPrefix("@") || $0 == "public" }
      return words.first == "import" ? words.last.map(String.init) : nil
    }
  }
}
