import SwiftBoardBoard

/// The features of `swiftboard`, each in a folder of its own.
public enum BoardFeatures {
  /// All features in help order.
  public static let all = FeatureList(
    BoardFeatures.api, BoardFeatures.keychain, BoardFeatures.db, BoardFeatures.log,
    BoardFeatures.characters, BoardFeatures.media, BoardFeatures.downloads,
    BoardFeatures.analytics,
    summary: "an interactive board for HTTP services, documents and secrets",
    source: FeatureList.Source(
      imports: ["import SwiftBoardFeatures"], expression: "BoardFeatures.all"))
}
