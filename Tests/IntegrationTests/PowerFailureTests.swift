import SwiftBoardDependencies
import SwiftBoardSystem
import SwiftBoardTestSupport
import Testing

/// What a disk may hold after a power failure at any moment of a run: of what was written since the
/// last sync of a file, each write is there or not. Names of files are not lost.
@Suite(
  .enabled("there is no C compiler") { Interposer.isAvailable }, .timeLimit(.minutes(20)))
struct PowerFailureTests {
  /// Writes down each change of the database `JOURNAL_FOR` and of its log, each sync, and what is
  /// printed on standard error.
  private static let interposer = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/uio.h>
    #include <unistd.h>
    #define NEXT(type, name) ((type)dlsym(RTLD_NEXT, name))

    static int journal = -1;
    static void note(char kind, char file, long long offset, const void *bytes, long long size) {
      char head[64];
      if (journal < 0) journal = open(getenv("JOURNAL"), O_WRONLY | O_CREAT | O_APPEND, 0600);
      int count = snprintf(head, sizeof head, "%c%c %lld %lld\\n", kind, file, offset, size);
      /* One call, so that threads that write at the same time do not mix their entries. */
      struct iovec parts[] = {{head, count}, {(void *)bytes, bytes ? size : 0}};
      writev(journal, parts, 2);
    }
    static char which(int file) {
      char link[64], path[4096];
      snprintf(link, sizeof link, "/proc/self/fd/%d", file);
      ssize_t size = readlink(link, path, sizeof path - 1);
      if (size < 0) return 0;
      path[size] = 0;
      const char *name = strrchr(path, '/');
      const char *base = getenv("JOURNAL_FOR");
      if (!name || strncmp(++name, base, strlen(base))) return 0;
      return !name[strlen(base)] ? 'd' : !strcmp(name + strlen(base), "-wal") ? 'l' : 0;
    }
    int fsync(int file) {
      int result = NEXT(int (*)(int), "fsync")(file);
      if (which(file)) note('s', which(file), 0, 0, 0);
      return result;
    }
    int fdatasync(int file) {
      int result = NEXT(int (*)(int), "fdatasync")(file);
      if (which(file)) note('s', which(file), 0, 0, 0);
      return result;
    }
    int ftruncate64(int file, off64_t size) {
      if (which(file)) note('t', which(file), size, 0, 0);
      return NEXT(int (*)(int, off64_t), "ftruncate64")(file, size);
    }
    ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
      if (which(file)) note('w', which(file), offset, bytes, size);
      return NEXT(ssize_t (*)(int, const void *, size_t, off64_t), "pwrite64")(
        file, bytes, size, offset);
    }
    ssize_t write(int file, const void *bytes, size_t size) {
      if (file == 2) note('a', '-', 0, bytes, size);
      return NEXT(ssize_t (*)(int, const void *, size_t), "write")(file, bytes, size);
    }

    """

  /// An entry of the journal.
  private struct Entry {
    var kind: Character
    var isLog: Bool
    var offset: Int
    var bytes: ArraySlice<UInt8>

    static func all(_ journal: [UInt8]) throws -> [Entry] {
      var entries: [Entry] = []
      var rest = journal[...]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let head = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
        try #require(head.count == 3 && head[0].count == 2, "\(head)")
        let numbers = try head.dropFirst().map { try #require(Int($0)) }
        let letters = Array(head[0])
        let isData = letters[0] == "w" || letters[0] == "a"
        rest = rest[(end + 1)...]
        let size = isData ? numbers[1] : 0
        entries.append(
          Entry(
            kind: letters[0], isLog: letters[1] == "l", offset: numbers[0],
            bytes: rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      return entries
    }

    func apply(to file: inout [UInt8]) {
      let end = offset + bytes.count
      if kind == "t" { return file.removeLast(max(0, file.count - offset)) }
      if file.count < end { file += [UInt8](repeating: 0, count: end - file.count) }
      file.replaceSubrange(offset..<end, with: bytes)
    }
  }

  /// A disk with two files.
  private struct Disk {
    /// What would be there after a power failure, and what is not synced yet, of the database and
    /// of its log.
    private var files: [(synced: [UInt8], waiting: [Entry])]

    init(_ database: [UInt8]) { files = [(database, []), ([], [])] }

    mutating func take(_ entry: Entry) {
      let index = entry.isLog ? 1 : 0
      switch entry.kind {
      case "w", "t": files[index].waiting.append(entry)
      case "s":
        for waiting in files[index].waiting { waiting.apply(to: &files[index].synced) }
        files[index].waiting = []
      default: break
      }
    }

    /// Returns what both files may hold now.
    func state(where isWritten: () -> Bool) -> [[UInt8]] {
      files.map { file in
        var bytes = file.synced
        for entry in file.waiting where isWritten() { entry.apply(to: &bytes) }
        return bytes
      }
    }
  }

  /// Runs lines, and calls `check` with each state that the disk may have had.
  ///
  /// - Parameter check: Receives a service on that state, and what was printed before it.
  /// - Returns: The number of states.
  private func explore(
    _ name: String, _ lines: [String], after first: [String],
    _ check: (LivePersistenceService, _ printed: String) async throws -> Void
  ) async throws -> Int {
    let program = try Program()
    let library = try await Interposer.make(Self.interposer, for: program)
    let begun = try await program.run(["--home", "h"] + first.flatMap { ["-c", $0] })
    #expect(begun.status == .exited(0), "\(begun.errorText)")
    // Closing folds the log in.
    #expect(!program.exists("h/\(name)-wal"))
    var disk = Disk(try program.folder.read("h/\(name)"))
    let run = try await program.run(
      ["--home", "h"] + lines.flatMap { ["-c", $0] },
      environment: [
        "LD_PRELOAD": library, "JOURNAL": program.folder.path("journal"), "JOURNAL_FOR": name,
      ])
    #expect(run.status == .exited(0), "\(run.errorText)")
    let random = RandomSource.seeded(1)
    var printed = ""
    var states = 0
    for (index, entry) in try Entry.all(try program.folder.read("journal")).enumerated() {
      disk.take(entry)
      if entry.kind == "a" { printed += String(decoding: entry.bytes, as: UTF8.self) }
      guard index % 3 == 0 else { continue }
      for bytes in [
        disk.state { false }, disk.state { true }, disk.state { random.next() & 1 == 0 },
      ] {
        let folder = try TemporaryFolder()
        try folder.write(bytes[0], to: name)
        if !bytes[1].isEmpty { try folder.write(bytes[1], to: "\(name)-wal") }
        let service = LivePersistenceService(
          mainPath: folder.path("main.sqlite"), cachePath: folder.path("cache.sqlite"))
        let findings = try await service.check()
        #expect(findings == [], "after \(index) calls")
        try await check(service, printed)
        try await service.close()
        states += 1
      }
    }
    return states
  }

  @Test("a power failure at any moment loses no document whose storing was confirmed")
  func documents() async throws {
    var confirmed: Set<String> = []
    let states = try await explore(
      "main.sqlite", (0..<40).map { "db put c \($0) {\"n\":\($0)}" }, after: ["db put c old 1"]
    ) { service, printed in
      confirmed = Set(printed.matches(of: /saved c\/(\d+)/).map { String($0.1) })
      let found = try await service.documents(DocumentQuery(collection: "c")).map(\.id)
      #expect(confirmed.union(["old"]).isSubset(of: found), "\(confirmed.subtracting(found))")
    }
    #expect(states >= 140)
    #expect(confirmed.count == 40)
  }

  @Test("a power failure at any moment leaves a cache that is whole")
  func answers() async throws {
    let server = try TestHTTPServer { request in .response(.init(json: "\"\(request.path)\"")) }
    var most = 0
    let states = try await explore(
      "cache.sqlite", (0..<40).map { "api get \(server.origin)/\($0)" },
      after: ["api get \(server.origin)/old", "api cache clear"]
    ) { service, _ in
      let keys = try await service.cachedResponses().map(\.key)
      for key in keys { #expect(try await service.cachedResponse(key) != nil) }
      most = max(most, keys.count)
    }
    #expect(states > 30)
    #expect(most > 0)
  }
}
