import SwiftBoardJSON

extension MediaRelease {
  /// The releases of an entry of a program's calendar.
  ///
  /// - Throws: `undecodable` if it has no ID, or a date is none.
  static func all(
    of reader: ProgramReader, _ program: MediaProgram
  ) throws(ProgramError) -> [MediaRelease] {
    let id = try reader.int("id")
    let title = try reader.optionalText("title") ?? ""
    let hasFile = try reader.optionalBool("hasFile")
    switch program {
    case .radarr:
      var releases: [MediaRelease] = []
      for (member, kind) in zip(program.dates, [Kind.cinema, .digital, .physical]) {
        guard let date = try reader.date(member) else { continue }
        releases.append(
          MediaRelease(id: id, kind: kind, date: date, title: title, hasFile: hasFile))
      }
      return releases
    case .sonarr:
      guard let date = try reader.date(program.dates[0]) else { return [] }
      let season = try reader.optionalInt("seasonNumber")
      let number = try reader.optionalInt("episodeNumber")
      let episode =
        if let season, let number { "\(season)x\(twoDigits(number)) " } else { "" }
      return [
        MediaRelease(
          id: id, kind: .episode, date: date,
          title: try reader.optionalObject("series")?.optionalText("title") ?? "",
          part: episode + title, hasFile: hasFile)
      ]
    case .lidarr:
      guard let date = try reader.date(program.dates[0]) else { return [] }
      return [
        MediaRelease(
          id: id, kind: .album, date: date,
          title: try reader.optionalObject("artist")?.optionalText("artistName") ?? "", part: title,
          hasFile: hasFile)
      ]
    }
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}

extension MediaProgram {
  /// The members of an entry of the calendar that have its dates.
  var dates: [String] {
    switch self {
    case .radarr: ["inCinemas", "digitalRelease", "physicalRelease"]
    case .sonarr: ["airDateUtc"]
    case .lidarr: ["releaseDate"]
    }
  }
}

extension ProgramReader {
  /// The date of a member in microseconds since 1970, or `nil` if there is none.
  fileprivate func date(_ name: String) throws(ProgramError) -> Int64? {
    guard let value = json[name], value != .null else { return nil }
    guard let date = value.stringValue.flatMap(MediaDate.microseconds(parsing:)) else {
      throw undecodable(name)
    }
    return date
  }
}

/// Dates as the media programs write them: `2026-11-23T20:00:00Z`.
enum MediaDate {
  static func text(_ microseconds: Int64) -> String {
    guard let text = Timestamp.text(microseconds: Int(microseconds)) else { return "" }
    return "\(text.prefix(19))Z"
  }

  /// Parses a date as .NET writes it. Its fraction is left out, a day begins at midnight, and a
  /// time without an offset is in UTC.
  static func microseconds(parsing text: String) -> Int64? {
    let time = text.utf8.count == 10 ? text + "T00:00:00" : String(text.prefix(19))
    guard let local = Timestamp.microseconds(parsing: time + ".000000Z") else { return nil }
    var zone = text.dropFirst(19)
    if zone.first == "." {
      let end = zone.dropFirst().drop { "0"..."9" ~= $0 }
      guard end.startIndex > zone.index(after: zone.startIndex) else { return nil }
      zone = end
    }
    return offset(zone).map { Int64(local - $0) }
  }

  /// The offset from UTC in microseconds: `Z`, `+02:00`, `+0200` or `+02`.
  private static func offset(_ zone: Substring) -> Int? {
    guard let sign = zone.first, zone != "Z", zone != "z" else { return 0 }
    var digits = zone.dropFirst()
    if digits.utf8.count == 5, let colon = digits.firstIndex(of: ":") { digits.remove(at: colon) }
    guard sign == "+" || sign == "-", digits.utf8.count == 4 || digits.utf8.count == 2,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let hours = Int(digits.prefix(2)), let minutes = Int("0" + digits.dropFirst(2)),
      hours < 24, minutes < 60
    else { return nil }
    return (sign == "-" ? -1 : 1) * (hours * 60 + minutes) * 60_000_000
  }
}
