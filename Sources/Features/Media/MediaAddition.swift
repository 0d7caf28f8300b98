import SwiftBoardBoard
import SwiftBoardDependencies
import SwiftBoardJSON

/// An addition in progress: the results so far, and the current question.
public struct MediaAddition: Codable, Sendable, Equatable, Identifiable {
  /// The choices that an addition requires, in the order in which they are made.
  public enum Question: String, Codable, Sendable, CaseIterable {
    /// Which of what was found; its quality, its folder, its albums.
    case item, qualityProfile, rootFolder, metadataProfile
  }

  /// The stage of an addition.
  public enum Phase: Codable, Sendable, Equatable {
    /// The program is asked for what there is to choose from.
    case asking(question: Question)
    /// The user is asked.
    case choosing(question: Question)
    /// The resource is sent.
    case sending
  }

  /// The job of the command.
  public var job: Int
  /// The program.
  public var server: MediaServer
  /// What the line says.
  public var order: MediaOrder
  /// How far it is.
  public var phase = Phase.asking(question: .item)
  /// The results for the term. Empty once one of them is chosen.
  public var found: [MediaResource] = []
  /// How many more there are than those in `found`; `nil`: none.
  public var more: Int?
  /// The candidates for the current choice.
  public var candidates: [MediaOption] = []
  /// The chosen resource. Chosen options are members of it.
  public var resource: MediaResource?
  /// The names of the choices so far.
  public var chosen: [String] = []
  /// Its job while the resource is sent, or `nil` in recordings in which it ended when it was
  /// cancelled.
  public var changes: RunningChanges?

  /// The job.
  public var id: Int { job }
}

/// The actions of an addition.
public enum MediaAdditionAction: Codable, Sendable, Equatable {
  /// Asks for the first thing.
  case begin
  /// The catalogue has these for the term, and more that are left out; `nil`: no more.
  case found(resources: [MediaResource], more: Int? = nil, masked: MaskedValues?)
  /// The program has these options.
  case options(options: [MediaOption], masked: MaskedValues? = nil)
  /// The user has chosen one of the candidates; `nil`: there is no user to ask.
  case chose(index: Int?)
  /// It is in the library, with the options that were chosen.
  case added(item: MediaItem, chosen: [String], masked: MaskedValues?)
  /// It is not.
  case failed(failure: Failure)
}

extension MediaAddition {
  /// The questions of a program.
  var questions: [Question] {
    server.program == .lidarr
      ? Question.allCases : Question.allCases.filter { $0 != .metadataProfile }
  }

  /// The question after one; `nil` after the last.
  func question(after question: Question) -> Question? {
    guard let index = questions.firstIndex(of: question), index + 1 < questions.count else {
      return nil
    }
    return questions[index + 1]
  }

  /// Puts what was chosen into the resource. All other members are those that were looked up.
  mutating func choose(_ index: Int, for question: Question) {
    let option = candidates[index]
    switch question {
    case .item:
      resource = found[index]
      found = []
    case .qualityProfile: resource?.json["qualityProfileId"] = JSON(option.id)
    case .rootFolder: resource?.json["rootFolderPath"] = .string(option.name)
    case .metadataProfile: resource?.json["metadataProfileId"] = JSON(option.id)
    }
    chosen.append(option.name)
    candidates = []
  }

  /// The resource with what each program is told beside the options.
  var complete: MediaResource? {
    guard var resource else { return nil }
    resource.json["monitored"] = .bool(order.isMonitored)
    let searches = JSON.bool(order.searches)
    // A look-up has the defaults of the API. The programs' own pages choose others.
    if resource.json["seasonFolder"] == false { resource.json["seasonFolder"] = true }
    if resource.json["minimumAvailability"] == "tba" {
      resource.json["minimumAvailability"] = "released"
    }
    switch server.program {
    case .radarr: resource.json["addOptions"] = ["searchForMovie": searches]
    case .sonarr:
      resource.json["addOptions"] = [
        "monitor": order.isMonitored ? "all" : "none", "searchForMissingEpisodes": searches,
      ]
    case .lidarr:
      resource.json["addOptions"] = [
        "monitor": order.isMonitored ? "all" : "none", "searchForMissingAlbums": searches,
      ]
    }
    return resource
  }
}

extension MediaAddition.Question {
  /// The kind of option that is asked for; `nil` for the item itself.
  var kind: MediaOption.Kind? { MediaOption.Kind(rawValue: rawValue) }

  /// The noun, in messages.
  var noun: String {
    switch self {
    case .item: "item"
    case .qualityProfile: "quality profile"
    case .rootFolder: "root folder"
    case .metadataProfile: "metadata profile"
    }
  }

  /// The option of a line that answers it.
  var option: String {
    switch self {
    case .item: "pick"
    case .qualityProfile: "profile"
    case .rootFolder: "root"
    case .metadataProfile: "metadata"
    }
  }
}
