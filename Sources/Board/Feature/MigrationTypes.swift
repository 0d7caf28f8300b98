import SwiftBoardRecording

/// A migration of a feature's actions in recordings.
public typealias LogMigration = SwiftBoardRecording.LogMigration

/// An effect of an action in a recording, for migrations.
public typealias LogEffect = SwiftBoardRecording.LogEffect
