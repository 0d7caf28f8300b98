import SwiftBoardJSON
import Testing

@testable import SwiftBoardDependencies

@Suite("paths of members")
struct MemberTreeTests {
  private func failure(of names: [String]) -> MemberTree.Problem? {
    do throws(MemberTree.Problem) {
      _ = try MemberTree(names.enumerated().map { ($0, $1, true) })
      return nil
    } catch {
      return error
    }
  }

  private func path(_ steps: Int) -> String { "a" + String(repeating: "[b]", count: steps - 1) }

  @Test("a path has at most as many steps as JSON has levels")
  func depth() throws {
    let limit = JSONLimits.default.depth
    var form = RequestForm()
    form.members = [(path(limit), .text("1"), true)]
    let json = try form.json()
    #expect(try JSON(parsing: json).text == json)
    for steps in [limit + 1, 40_000] {
      guard case .steps? = failure(of: [path(steps)])?.reason else {
        Issue.record("\(steps) steps make a body")
        continue
      }
    }
  }

  @Test("keys of equal characters and other bytes are members of their own")
  func bytesOfKeys() throws {
    var form = RequestForm()
    form.members = [("\u{E9}", .text("1"), true), ("e\u{301}", .text("2"), true)]
    let json = try form.json()
    #expect(json.utf8.elementsEqual("{\"\u{E9}\":\"1\",\"e\u{301}\":\"2\"}".utf8))
  }

  @Test("a conflict with a deep member names it at once")
  func deepConflict() throws {
    let problem = try #require(failure(of: ["a[z][]", path(400), "a"]))
    #expect(problem.member == 2 && problem.earlier == 0)
    let deep = try #require(failure(of: [path(400), "a"]))
    #expect(deep.member == 1 && deep.earlier == 0)
  }

  @Test(
    "indexes skip at most 9999 elements in the whole body",
    arguments: [
      (["a[9999]", "a[0]", "a[]"], nil), (["a[5000]", "b[4999]"], nil),
      (["a[5000]", "b[5000]"], 1), (["a" + String(repeating: "[999]", count: 20)], 0),
      (["a[10000]"], 0), (["a[1]", "a[99999999999999999999]"], 1),
    ] as [([String], Int?)])
  func skipped(names: [String], member: Int?) {
    let problem = failure(of: names)
    #expect(problem?.member == member)
    if let problem, case .skipped = problem.reason {} else { #expect(member == nil) }
  }

  @Test("members keep their order, also of many")
  func order() throws {
    var form = RequestForm()
    for index in (0..<2000).reversed() {
      form.members.append(("a[k\(index % 1000)][\(index / 1000)]", .json("\(index)"), true))
    }
    let entries = (0..<1000).reversed().map { "\"k\($0)\":[\($0),\($0 + 1000)]" }
    #expect(try form.json() == "{\"a\":{\(entries.joined(separator: ","))}}")
  }
}
