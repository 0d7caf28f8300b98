import SwiftBoardBoard

/// The features of `swiftboard`, each in a folder of its own.
public enum BoardFeatures {
  /// In the order in which help lists them.
  public static let all = FeatureList(
    BoardFeatures.api, BoardFeatures.keychain, BoardFeatures.db, BoardFeatures.log,
    BoardFeatures.characters,
    source: FeatureList.Source(
      imports: ["import SwiftBoardFeatures"], expression: "BoardFeatures.all"))
}
