import SwiftBoardCommandLine
import SwiftBoardDependencies
import SwiftBoardStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// The sample world, with services of one's own in it.
let client = AllowedHosts(["radarr.example"], before: MockAPIClient.preview)
let sink = TextSink()
let tally = Tally()
var dependencies = Dependencies.preview
dependencies.apiClient = client
dependencies.logger = LiveLogger(sinks: [sink], date: dependencies.date)
dependencies.analytics = LiveAnalytics(
  providers: [tally], redactor: dependencies.logger.redactor)
dependencies.analytics.setConsent(true)

let commands = CommandTable([
  CommandSpec(
    ["check"], "ask a service whether it is up",
    arguments: [ArgumentSpec("host", "its host name")], examples: ["check radarr.example"]
  ) { invocation throws(UsageError) -> Pulse.Action in
    .check(try invocation.text("host") ?? "")
  }
])

let store = Store(initialState: Pulse.State(), reducer: Pulse(), dependencies: dependencies)
for host in ["radarr.example", "elsewhere.example"] {
  let match = try commands.parse(words: [Argument("check"), Argument(host)])
  await store.send(match.output).finish()
}
let isComplete = await dependencies.shutDown(within: .seconds(60))

func differs<Value: Equatable>(_ what: String, _ found: Value, _ expected: Value) -> Bool {
  guard found != expected else { return false }
  print("WRONG \(what): \(found) instead of \(expected)")
  return true
}

let isWrong = [
  differs("state", store.state.isUp, ["radarr.example": true, "elsewhere.example": false]),
  differs("date", store.state.lastCheck, DateGenerator.mockStart),
  differs("log lines", sink.lines.count, 2),
  differs("events", tally.all, ["pulse.answered": 1]),
  differs("services shut down", isComplete && client.wasShutDown, true),
].contains(true)
if isWrong { exit(1) }
for line in sink.lines { print(line) }
print("all as expected")
