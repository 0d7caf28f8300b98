import Synchronization

#if !canImport(Darwin)
  /// The word that says whether a lock is held: a compare-and-exchange to take it, and a plain store to let go of it.
  ///
  /// A lock of the system needs an exchange for that too, since it has to learn whether somebody sleeps, and half of what a step costs is
  /// that exchange. This one begins as one for which nobody has ever slept. The first who has to sleep gives it a parking lot, and from
  /// then on letting go is an exchange here as well. Whoever held the lock at that moment may not have seen the parking lot yet, so a
  /// sleeper looks again after a millisecond.
  @usableFromInline
  struct LockWord: ~Copyable, Sendable {
    /// 0: free; else where the stack of the thread is that holds it, and 1 more where somebody may sleep.
    @usableFromInline let holder = Atomic<UInt>(0)
    /// The address of a `ParkingLot` that is retained here; 0 where nobody has slept yet.
    @usableFromInline let lot = Atomic<UInt>(0)

    /// How often a thread looks before it sleeps.
    private static let looks = 200

    @inlinable
    init() {}

    @inlinable
    deinit {
      if lot.load(ordering: .relaxed) != 0 { releaseLot() }
    }

    @inlinable
    @inline(__always)
    borrowing func lock() {
      var mark: UInt = 0
      let here = withUnsafeMutablePointer(to: &mark) { UInt(bitPattern: $0) }
      if !replace(0, with: here) { wait(here) }
    }

    @inlinable
    @inline(__always)
    borrowing func unlock() {
      if lot.load(ordering: .relaxed) == 0 {
        holder.store(0, ordering: .releasing)
      } else {
        unlockAndWake()
      }
    }

    @inlinable
    @inline(__always)
    borrowing func replace(_ old: UInt, with new: UInt) -> Bool {
      holder.compareExchange(
        expected: old, desired: new, successOrdering: .acquiring, failureOrdering: .relaxed
      ).exchanged
    }

    /// Looks for a while, then sleeps.
    @usableFromInline
    @inline(never)
    borrowing func wait(_ here: UInt) {
      for _ in 0..<LockWord.looks {
        if holder.load(ordering: .relaxed) == 0, replace(0, with: here) { return }
      }
      guard !ThreadStack.isMine(holder.load(ordering: .relaxed) & ~1) else {
        fatalError("a reducer or a hook calls its own store, which waits for it to end")
      }
      parkingLot().sleep { takeOrAnnounce(here | 1) }
    }

    /// Whether the lock was free and is now held; where it was not, who holds it will wake somebody.
    private borrowing func takeOrAnnounce(_ here: UInt) -> Bool {
      while true {
        let found = holder.load(ordering: .relaxed)
        if found == 0 {
          if replace(0, with: here) { return true }
        } else if found & 1 == 1 || replace(found, with: found | 1) {
          return false
        }
      }
    }

    @usableFromInline
    @inline(never)
    borrowing func unlockAndWake() {
      let lot = ParkingLot.at(lot.load(ordering: .acquiring))
      if holder.exchange(0, ordering: .releasing) & 1 == 1 { lot?.wake() }
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
      guard let lot = UnsafeRawPointer(bitPattern: lot.load(ordering: .relaxed)) else { return }
      Unmanaged<ParkingLot>.fromOpaque(lot).release()
    }
  }

  extension ParkingLot {
    fileprivate static func at(_ address: UInt) -> ParkingLot? {
      UnsafeRawPointer(bitPattern: address).map {
        Unmanaged<ParkingLot>.fromOpaque($0).takeUnretainedValue()
      }
    }
  }
#endif
