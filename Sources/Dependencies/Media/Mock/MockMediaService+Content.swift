import SwiftBoardJSON

extension MockMediaService {
  /// What a media program of a mock has.
  public struct Content: Sendable, Equatable {
    /// The program.
    public var program: MediaProgram
    /// Its version.
    public var version = "5.2.6.8376"
    /// The library, in its order.
    public var library: [MediaResource]
    /// What can be looked up: each resource by a part of its title, whatever the case, or by its
    /// number in the catalogue.
    public var catalogue: [MediaResource]
    /// What is downloaded.
    public var queue: [MediaQueue.Entry]
    /// What comes out.
    public var releases: [MediaRelease]
    /// What an added item can choose from.
    public var options: [MediaOption.Kind: [MediaOption]]

    /// A program with one quality profile and one root folder, and nothing else.
    public init(
      _ program: MediaProgram, library: [MediaResource] = [], catalogue: [MediaResource] = [],
      queue: [MediaQueue.Entry] = [], releases: [MediaRelease] = []
    ) {
      self.program = program
      self.library = library
      self.catalogue = catalogue
      self.queue = queue
      self.releases = releases
      options = [
        .qualityProfile: [MediaOption(id: 1, name: "Any")],
        .rootFolder: [MediaOption(id: 1, name: "/media")],
      ]
      if program == .lidarr {
        options[.metadataProfile] = [MediaOption(id: 1, name: "Standard")]
      }
    }

    /// The content of the preview: three items, three to be looked up, a download, and releases
    /// around the date of the mock.
    public static func sample(_ program: MediaProgram) -> Content {
      var content = Content(program)
      let titles: ([String], [String])
      switch program {
      case .radarr:
        titles = (["Blade Runner", "Alien", "Solaris"], ["Dune", "Dune", "Arrival"])
      case .sonarr:
        titles = (["Severance", "Dark", "The Expanse"], ["Foundation", "Silo", "Silo"])
      case .lidarr:
        titles = (["Kraftwerk", "Can", "Neu!"], ["Boards of Canada", "Autechre", "Air"])
      }
      for (index, title) in titles.0.enumerated() {
        content.library.append(
          .sample(program, id: index + 1, title, year: 1979 + index * 3, number: 100 + index))
      }
      for (index, title) in titles.1.enumerated() {
        content.catalogue.append(
          .sample(program, id: nil, title, year: 1984 + index * 37, number: 200 + index))
      }
      content.queue = [
        MediaQueue.Entry(
          id: 1, title: "\(titles.0[2]).1080p", size: 4_000_000_000, left: 1_000_000_000,
          timeLeft: "00:12:30", status: "downloading")
      ]
      content.releases = sampleReleases(program, titles.0[1])
      if program != .lidarr {
        content.options[.qualityProfile]?.append(MediaOption(id: 4, name: "HD-1080p"))
      }
      return content
    }

    private static func sampleReleases(
      _ program: MediaProgram, _ title: String
    ) -> [MediaRelease] {
      let day: Int64 = 86_400_000_000
      let start = DateGenerator.mockStart
      switch program {
      case .radarr:
        return [
          MediaRelease(id: 2, kind: .cinema, date: start + day, title: title, hasFile: false),
          MediaRelease(id: 2, kind: .digital, date: start + 3 * day, title: title, hasFile: false),
          MediaRelease(
            id: 2, kind: .physical, date: start + 40 * day, title: title, hasFile: false),
        ]
      case .sonarr:
        return [
          MediaRelease(
            id: 7, kind: .episode, date: start + 2 * day, title: title, part: "1x01 Secrets",
            hasFile: true)
        ]
      case .lidarr:
        return [
          MediaRelease(
            id: 9, kind: .album, date: start + 5 * day, title: title, part: "Future Days")
        ]
      }
    }
  }
}

extension MediaResource {
  /// A resource in the form of its program, with a member that the board does not know.
  static func sample(
    _ program: MediaProgram, id: Int?, _ title: String, year: Int, number: Int
  ) -> MediaResource {
    var members: [JSON.Member] = id.map { [.init("id", JSON($0))] } ?? []
    members.append(.init(program == .lidarr ? "artistName" : "title", .string(title)))
    if program != .lidarr { members.append(.init("year", JSON(year))) }
    switch program {
    case .radarr: members.append(.init("tmdbId", JSON(number)))
    case .sonarr: members.append(.init("tvdbId", JSON(number)))
    case .lidarr:
      members.append(
        .init("foreignArtistId", .string("00000000-0000-4000-8000-000000000\(number)")))
    }
    members.append(.init("images", [["coverType": "poster", "url": .string("/\(number).jpg")]]))
    guard let id else { return MediaResource(.object(members)) }
    members += [
      .init("monitored", .bool(id != 2)), .init("qualityProfileId", 1),
      .init("rootFolderPath", "/media"),
    ]
    if program == .lidarr { members.append(.init("metadataProfileId", 1)) }
    if program == .radarr {
      members.append(.init("hasFile", .bool(id == 1)))
    } else {
      let names =
        program == .sonarr
        ? ["episodeFileCount", "episodeCount"] : ["trackFileCount", "trackCount"]
      members.append(
        .init("statistics", .object([.init(names[0], JSON(id * 3)), .init(names[1], 9)])))
    }
    return MediaResource(.object(members))
  }
}
