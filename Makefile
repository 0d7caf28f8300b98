# run: install what is missing, build, start the board.   test: all that CI checks.
SWIFT ?= swift
# More options of the release build.
SWIFTFLAGS ?=
PREFIX ?= /usr/local
UNAME := $(shell uname -s)
# On Linux the program has all of Swift in it, and offers no symbol of it to others: nothing asks
# for them, and a table of 9000 names would be searched by the loader. Each function has a section
# of its own, so that the linker leaves out those that nothing calls, and keeps one of equal ones.
# Code asks for types by their functions and not by their names, for which the runtime would search
# all conformances of the program: half of the instructions of a start. ADR-030 has the figures of
# the fixed address, of the C++ library, which is linked statically where it is installed as such,
# and of the debug information, which is left out. Shared libraries are those of the system: none is
# looked for in the program's own folder, where others may be able to write.
LIBSTDCXX := .build/static/libstdc++.a
LINUX := --static-swift-stdlib --disable-local-rpath \
  -Xlinker --no-export-dynamic -Xswiftc -use-ld=lld -Xlinker --icf=all \
  $(foreach flag,-function-sections -disable-concrete-type-metadata-mangled-name-accessors,\
  -Xswiftc -Xfrontend -Xswiftc $(flag)) \
  -Xswiftc -Xclang-linker -Xswiftc -no-pie -Xswiftc -L$(CURDIR)/$(dir $(LIBSTDCXX))
RELEASE := $(SWIFT) build $(SWIFTFLAGS) -c release -debug-info-format none $(if $(filter Linux,$(UNAME)),$(LINUX),) --product swiftboard
SOURCES := Package.swift Sources Tests Benchmarks/Package.swift Benchmarks/Sources Examples Fuzz/Package.swift Fuzz/Sources
ARGS ?=
NAME ?= swiftboard
PROGRAMS = $(DESTDIR)$(PREFIX)/bin
MANUALS = $(DESTDIR)$(PREFIX)/share/man/man1
BASH = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISH = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
FUZZ_SECONDS ?= 60
SEQUENCES ?= 100000
CANCELS ?= 100000
REPETITIONS ?= 250000
SOAK_SECONDS ?= 3600

# A build folder of its own, where the modules that tests spend their time in are optimised. The
# packages of the examples and the benchmarks are built there too, so that the library is compiled
# once.
# Types are asked for by their functions, as in the release.
CHECK := --scratch-path $(CURDIR)/.build/check --disable-build-manifest-caching -debug-info-format none \
  -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors

.PHONY: run test soak allocations fuzz bench format lint install uninstall archive libraries examples \
  sanitize clean

run: libraries $(LIBSTDCXX)
	@$(RELEASE) >&2
	@$$($(RELEASE) --show-bin-path)/swiftboard $(ARGS)

test examples allocations: export SWIFTBOARD_OPTIMIZED = 1

test: libraries lint
	$(SWIFT) build $(CHECK) --build-tests
	$(SWIFT) test $(CHECK) --skip-build --parallel
	@scripts/type-check-time "$$($(SWIFT) build $(CHECK) --show-bin-path)/Modules"
	@$(MAKE) --no-print-directory examples allocations

examples:
	@for example in Examples/*/Package.swift; do \
	  echo "example $$(dirname $$example)"; \
	  $(SWIFT) run $(CHECK) --package-path "$$(dirname "$$example")" || exit 1; \
	  if [ -d "$$(dirname "$$example")/Tests" ]; then \
	    $(SWIFT) test $(CHECK) --package-path "$$(dirname "$$example")" || exit 1; \
	  fi; \
	done

# What is free of noise: how much each kind of step allocates.
allocations:
	$(SWIFT) run $(CHECK) --package-path Benchmarks Allocations

# The long runs: the store's machine against its naive model, the store's tests again and again,
# cancelled requests, a session of many requests and long bodies, and a session in tmux.
# SOAK_SECONDS is the length of the last one.
SOAK := --scratch-path .build/soak -c release -Xswiftc -enable-testing
soak: libraries
	@command -v tmux > /dev/null || { echo 'make soak needs tmux' >&2; exit 1; }
	$(SWIFT) build $(SOAK) --build-tests
	SWIFTBOARD_SEQUENCES=$(SEQUENCES) SWIFTBOARD_CANCELS=$(CANCELS) SWIFTBOARD_REQUESTS=10000 \
	  SWIFTBOARD_BYTES=1000000000 $(SWIFT) test $(SOAK) --skip-build \
	  --filter 'StoreMachineModelTests|CancellationMomentTests|EnduranceTests'
	scripts/repeat $(REPETITIONS) "$$($(SWIFT) build $(SOAK) --show-bin-path)/swiftboardPackageTests.xctest"
	SWIFTBOARD_SOAK_SECONDS=$(SOAK_SECONDS) $(SWIFT) test $(SOAK) --skip-build --filter 'TerminalSoakTests|TerminalLatencySoakTests'

# What reads a stranger's file, and what reads keys, under libFuzzer; FUZZ_SECONDS of each.
fuzz: libraries
	scripts/fuzz $(FUZZ_SECONDS)

bench: libraries $(LIBSTDCXX)
	cd Benchmarks && $(SWIFT) run -c release StoreBenchmarks
	cd Benchmarks && $(SWIFT) run -c release Allocations
	$(RELEASE)
	cd Benchmarks && $(SWIFT) run -c release BoardBenchmarks \
	  "$$(cd .. && $(RELEASE) --show-bin-path)/swiftboard"

format:
	$(SWIFT) format format --in-place --parallel --recursive $(SOURCES)

lint:
	@$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@command -v python3 > /dev/null || { echo 'make lint needs python3, in which its scripts are written' >&2; exit 1; }
	@scripts/documented && scripts/effect-lines && scripts/effect-lines-test && scripts/real-time
	@scripts/platform-imports && scripts/service-texts
	@! grep -nE '\.package\((url|path|name|id)' Package.swift || { echo 'Package.swift names a package' >&2; exit 1; }

# The program without symbols, its manual page, and completions for three shells.
install: libraries $(LIBSTDCXX)
	$(RELEASE)
	install -d "$(PROGRAMS)" "$(MANUALS)" "$(BASH)" "$(ZSH)" "$(FISH)"
	strip -o "$(PROGRAMS)/swiftboard" "$$($(RELEASE) --show-bin-path)/swiftboard"
	chmod 755 "$(PROGRAMS)/swiftboard"
	"$(PROGRAMS)/swiftboard" --environment mock -o plain manual > "$(MANUALS)/swiftboard.1"
	"$(PROGRAMS)/swiftboard" --environment mock -o plain completions bash > "$(BASH)/swiftboard"
	"$(PROGRAMS)/swiftboard" --environment mock -o plain completions zsh > "$(ZSH)/_swiftboard"
	"$(PROGRAMS)/swiftboard" --environment mock -o plain completions fish > "$(FISH)/swiftboard.fish"

uninstall:
	rm -f "$(PROGRAMS)/swiftboard" "$(MANUALS)/swiftboard.1" "$(BASH)/swiftboard" "$(ZSH)/_swiftboard" \
	  "$(FISH)/swiftboard.fish"

# What a release attaches: the installed files in one archive.
archive:
	$(MAKE) install PREFIX= DESTDIR="$(CURDIR)/.build/archive/$(NAME)"
	tar -C .build/archive -czf "$(NAME).tar.gz" "$(NAME)"

# The store under the thread sanitizer, with a lock that it sees.
sanitize: libraries
	$(SWIFT) test --sanitize thread --scratch-path .build/tsan -Xswiftc -DSWIFTBOARD_PTHREAD_LOCK --filter SwiftBoardStoreTests

# The headers of libsodium, SQLite and libcurl, by apt or brew, only where they are missing.
libraries:
	@./scripts/libraries

# A folder with the static library alone, where the linker looks first. Empty if there is none.
$(LIBSTDCXX):
	@mkdir -p $(@D)
	@file=$$(clang -print-file-name=$(@F)); if [ -e "$$file" ]; then ln -sf "$$file" $@; fi

clean:
	rm -rf .build Benchmarks/.build Examples/*/.build Fuzz/.build
