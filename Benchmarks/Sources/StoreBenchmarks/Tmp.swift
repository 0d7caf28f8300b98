func compositionBenchmarks() -> [Measurement] { [] }
func depths() -> [(Int, () -> Void)] { [] }
