import SwiftBoardStore
import Synchronization
import Testing

// Elsewhere the lock is the system's, and so is its text.
#if os(Linux)
  @Suite("A store that is used under its own lock")
  struct ReentrantUseTests {
    enum Place: String, CaseIterable, Codable, Sendable {
      case reducer = "a reducer"
      case hook = "a hook"
      case withState = "the closure of withState"
      case id = "description of an id"
      case idEnd = "deinit or description of an id"
      case end = "the deinit of a value"
      case executor = "the enqueue of an executor"
    }

    /// Uses the store wherever it is told to.
    final class World: Sendable {
      typealias Feature = Reduce<State, Int, World>

      struct State: Sendable {
        var count = 0
        var ending: Ending?
      }

      final class Ending: Sendable {
        let world: World
        init(_ world: World) { self.world = world }
        deinit { world.use() }
      }

      struct ID: Hashable, Sendable, CustomStringConvertible {
        let world: World
        static func == (a: ID, b: ID) -> Bool { a.world === b.world }
        func hash(into hasher: inout Hasher) { hasher.combine(0) }
        var description: String {
          world.use()
          return "id"
        }
      }

      struct EndingID: Hashable, Sendable {
        let ending: Ending
        static func == (a: EndingID, b: EndingID) -> Bool { a.ending === b.ending }
        func hash(into hasher: inout Hasher) { hasher.combine(0) }
      }

      /// Runs a job at once, which an executor of a store must not do.
      final class InlineExecutor: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
          UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
      }

      private let store = Mutex<Store<Feature>?>(nil)

      func use() { _ = store.withLock { $0 }?.state }

      func play(_ place: Place) {
        let store = Store(
          initialState: State(ending: Ending(self)),
          reducer: Feature { state, _, world in
            state.count += 1
            switch place {
            case .reducer: world.use()
            case .end: state.ending = nil
            case .id: return [.fireAndForget {}.cancellable(id: ID(world: world))]
            case .idEnd: return [.cancel(id: EndingID(ending: Ending(world)))]
            case .executor: return [.fireAndForget { world.use() }]
            case .hook, .withState: break
            }
            return []
          }, dependencies: self, executor: place == .executor ? InlineExecutor() : nil)
        self.store.withLock { $0 = store }
        if place == .hook {
          store.setHooks { _, _ in StepHooks(willReduce: { _ in self.use() }) }
        } else if place == .id {
          store.setHooks { _, _ in StepHooks(didReduce: { _, _ in }) }
        }
        if place == .withState {
          _ = store.withState { state in
            self.use()
            return state.count
          }
        } else {
          store.send(1)
        }
      }
    }

    @Test("ends with a text that names the code it was used from", arguments: Place.allCases)
    func told(place: Place) async {
      let result = await #expect(
        processExitsWith: .failure, observing: [\.standardErrorContent]
      ) { [place] in
        World().play(place)
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("a store is used by code that runs under its own lock"), "\(text)")
      #expect(text.contains(place.rawValue), "\(text)")
      #expect(text.contains("Use the store when that code has returned"), "\(text)")
    }
  }
#endif
