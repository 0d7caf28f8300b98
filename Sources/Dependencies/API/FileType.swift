/// Media types by file name extension.
package enum FileType {
  private static let types = [
    "avif": "image/avif", "bin": "application/octet-stream", "css": "text/css", "csv": "text/csv",
    "gif": "image/gif", "gz": "application/gzip", "htm": "text/html", "html": "text/html",
    "ico": "image/x-icon", "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript",
    "json": "application/json", "jsonl": "application/jsonl", "m4a": "audio/mp4",
    "md": "text/markdown", "mjs": "text/javascript", "mkv": "video/x-matroska",
    "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
    "nzb": "application/x-nzb", "ogg": "audio/ogg", "pdf": "application/pdf", "png": "image/png",
    "sh": "application/x-sh", "svg": "image/svg+xml", "tar": "application/x-tar",
    "tiff": "image/tiff", "toml": "application/toml", "torrent": "application/x-bittorrent",
    "txt": "text/plain", "wasm": "application/wasm", "wav": "audio/wav", "webm": "video/webm",
    "webp": "image/webp", "xml": "application/xml", "yaml": "application/yaml",
    "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
  ]

  /// Returns the media type, or `nil` if the extension is unknown.
  package static func of(_ path: String) -> String? {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    return types[name[name.index(after: dot)...].lowercased()]
  }
}
