import Synchronization

#if !canImport(Darwin)
  /// The word that says whether a lock is held: a compare-and-exchange to take it, and a plain store to let go of it.
  ///
  /// A lock of the system needs an exchange for that too, since it has to learn whether somebody sleeps, and half of what a step costs is
  /// that exchange. The first who has to sleep gives this one a parking lot, and as long as somebody is there, letting go is an exchange
  /// here as well. Whoever lets go of the lock when the first one comes there may not have seen it yet, so a sleeper looks again soon,
  /// and each millisecond then.
  ///
  /// Who has slept for a millisecond has the lock reserved: it is not free for whoever comes next, so that a thread that sends all the
  /// time does not keep the others out. To reserve it sooner would have threads wait for each other to wake at every step.
  @usableFromInline
  struct LockWord: ~Copyable, Sendable {
    /// 0: free. Else the thread that holds it, with `asleep` and `owed` added, or `reserved`.
    @usableFromInline let holder = Atomic<UInt>(0)
    /// The address of a `ParkingLot` that is retained here, 0 where nobody has slept yet; and `occupied`.
    @usableFromInline let lot = Atomic<UInt>(0)
    /// Whether somebody is in the parking lot.
    @usableFromInline static var occupied: UInt { 1 }

    /// Somebody may sleep.
    private static let asleep: UInt = 1
    /// Somebody has slept for long.
    private static let owed: UInt = 2
    /// Nobody holds it, and only who is owed it may take it.
    private static let reserved: UInt = 3
    /// How often a thread looks before it sleeps.
    private static let looks = 200

    @inlinable
    init() {}

    @inlinable
    deinit {
      if lot.load(ordering: .relaxed) != 0 { releaseLot() }
    }

    // Never inlined: the compiler takes it that a function stays on its thread, and would keep the thread's number over an `await`.
    @usableFromInline
    @inline(never)
    borrowing func lock() {
      let me = currentThread()
      if !replace(0, with: me) { wait(me) }
    }

    @inlinable
    @inline(__always)
    borrowing func unlock() {
      if lot.load(ordering: .relaxed) & LockWord.occupied == 0 {
        holder.store(0, ordering: .releasing)
      } else {
        unlockAndWake()
      }
    }

    @inline(__always)
    private borrowing func replace(_ old: UInt, with new: UInt) -> Bool {
      holder.compareExchange(
        expected: old, desired: new, successOrdering: .acquiring, failureOrdering: .relaxed
      ).exchanged
    }

    /// Looks for a while, then sleeps.
    @inline(never)
    private borrowing func wait(_ me: UInt) {
      for _ in 0..<LockWord.looks {
        if holder.load(ordering: .relaxed) == 0, replace(0, with: me) { return }
      }
      // A mistake in the program that no input makes; to wait on would be for ever.
      guard holder.load(ordering: .relaxed) & ~LockWord.reserved != me else {
        fatalError(reentrantUse)
      }
      var hasWaited = false
      parkingLot().sleep { isOccupied in
        if isOccupied {
          lot.bitwiseOr(LockWord.occupied, ordering: .relaxed)
        } else {
          lot.bitwiseAnd(~LockWord.occupied, ordering: .relaxed)
        }
      } until: { isLate in
        takeOrAnnounce(me, isOwed: isLate && hasWaited, &hasWaited)
      }
    }

    /// Whether the lock could be taken; where it could not, who holds it will wake somebody.
    ///
    /// - Parameters:
    ///   - isOwed: Whether the thread has waited for long. Where the lock is reserved there is one of which that is true and which
    ///     still sleeps.
    ///   - hasWaited: Set where another thread holds the lock.
    private borrowing func takeOrAnnounce(
      _ me: UInt, isOwed: Bool, _ hasWaited: inout Bool
    ) -> Bool {
      while true {
        let found = holder.load(ordering: .relaxed)
        if found == 0 || isOwed && found == LockWord.reserved {
          if replace(found, with: me | LockWord.asleep) { return true }
        } else {
          let marked = found | LockWord.asleep | (isOwed ? LockWord.owed : 0)
          guard marked == found || replace(found, with: marked) else { continue }
          hasWaited = hasWaited || found != LockWord.reserved
          return false
        }
      }
    }

    // Whoever unlocks has the store, and so the lot lives on.
    @usableFromInline
    @inline(never)
    borrowing func unlockAndWake() {
      var found = holder.load(ordering: .relaxed)
      while true {
        let (isDone, other) = holder.compareExchange(
          expected: found, desired: found & LockWord.owed == 0 ? 0 : LockWord.reserved,
          successOrdering: .releasing, failureOrdering: .relaxed)
        if isDone { break }
        found = other
      }
      if found & LockWord.asleep != 0 { ParkingLot.at(lot.load(ordering: .acquiring))?.wake() }
    }

    private borrowing func parkingLot() -> ParkingLot {
      if let lot = ParkingLot.at(lot.load(ordering: .acquiring)) { return lot }
      let new = ParkingLot()
      let retained = Unmanaged.passRetained(new)
      let (isNew, found) = lot.compareExchange(
        expected: 0, desired: UInt(bitPattern: retained.toOpaque()),
        ordering: .acquiringAndReleasing)
      guard !isNew, let other = ParkingLot.at(found) else { return new }
      retained.release()
      return other
    }

    @usableFromInline
    @inline(never)
    borrowing func releaseLot() {
      let address = lot.load(ordering: .relaxed) & ~LockWord.occupied
      guard let lot = UnsafeRawPointer(bitPattern: address) else { return }
      Unmanaged<ParkingLot>.fromOpaque(lot).release()
    }
  }

  extension ParkingLot {
    /// - Parameter address: As in `LockWord.lot`.
    fileprivate static func at(_ address: UInt) -> ParkingLot? {
      UnsafeRawPointer(bitPattern: address & ~LockWord.occupied).map {
        Unmanaged<ParkingLot>.fromOpaque($0).takeUnretainedValue()
      }
    }
  }
#endif
