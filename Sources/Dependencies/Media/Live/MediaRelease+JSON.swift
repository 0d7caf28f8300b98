import SwiftBoardJSON

extension MediaRelease {
  /// The releases of an entry of a program's calendar.
  static func all(of json: JSON, _ program: MediaProgram) -> [MediaRelease] {
    guard let id = json["id"]?.intValue else { return [] }
    let title = json["title"]?.stringValue ?? ""
    let hasFile = json["hasFile"]?.boolValue
    switch program {
    case .radarr:
      return [
        ("inCinemas", Kind.cinema), ("digitalRelease", .digital), ("physicalRelease", .physical),
      ]
      .compactMap { member, kind in
        MediaDate.microseconds(json[member]).map {
          MediaRelease(id: id, kind: kind, date: $0, title: title, hasFile: hasFile)
        }
      }
    case .sonarr:
      guard let date = MediaDate.microseconds(json["airDateUtc"]) else { return [] }
      let number = [json["seasonNumber"], json["episodeNumber"]].compactMap { $0?.intValue }
      let episode = number.count == 2 ? "\(number[0])x\(twoDigits(number[1])) " : ""
      return [
        MediaRelease(
          id: id, kind: .episode, date: date, title: json["series"]?["title"]?.stringValue ?? "",
          part: episode + title, hasFile: hasFile)
      ]
    case .lidarr:
      guard let date = MediaDate.microseconds(json["releaseDate"]) else { return [] }
      return [
        MediaRelease(
          id: id, kind: .album, date: date,
          title: json["artist"]?["artistName"]?.stringValue ?? "", part: title, hasFile: hasFile)
      ]
    }
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}

/// Dates as the media programs write them: `2026-11-23T20:00:00Z`, with or without a fraction.
enum MediaDate {
  static func text(_ microseconds: Int64) -> String {
    guard let text = Timestamp.text(microseconds: Int(microseconds)) else { return "" }
    return "\(text.prefix(19))Z"
  }

  static func microseconds(_ json: JSON?) -> Int64? {
    guard let text = json?.stringValue, text.count >= 19 else { return nil }
    return Timestamp.microseconds(parsing: "\(text.prefix(19)).000000Z").map(Int64.init)
  }
}
