# The commands that a developer types. Everything else is a verb of "go run ./cmd/dojo".

.PHONY: check test pages bench bench-compare bench-instructions bench-workers fuzz golden signature generate release release-check

check: ## run all checks that a change must pass before it is shared
	.ci/run

test: ## run the tests that take two minutes in all, and list the skipped ones; -p 4, because some packages wait for servers
	.ci/test -p 4 ./...

bench: ## run the Go benchmarks of every package
	go test -run '^$$' -bench . ./...

# For example: make bench-compare OLD=v1.0 PKG=./model/kernel BENCH=Conv/5x5x64
OLD ?= HEAD~1
PKG ?= ./model/...
BENCH ?= .
ROUNDS ?= 6
bench-compare: ## run benchmarks of the commit OLD and the working tree alternately, and compare them
	@set -e; t=$$(mktemp -d); trap 'git worktree remove --force "$$t/old"; rm -rf "$$t"' EXIT; \
	git worktree add -q --detach "$$t/old" $(OLD); \
	for i in $$(seq $(ROUNDS)); do \
		(cd "$$t/old" && go test -run '^$$' -bench '$(BENCH)' $(PKG)) >> "$$t/before.txt"; \
		go test -run '^$$' -bench '$(BENCH)' $(PKG) >> "$$t/after.txt"; \
	done; \
	go run golang.org/x/perf/cmd/benchstat@latest "$$t/before.txt" "$$t/after.txt"

# PKG must be one package. It runs under valgrind, which has no AVX-512, so the kernels use AVX2.
TIMES ?= 200
bench-instructions: ## compare the same two by executed instructions, if timings are too noisy
	@set -e; t=$$(mktemp -d); trap 'git worktree remove --force "$$t/old"; rm -rf "$$t"' EXIT; \
	git worktree add -q --detach "$$t/old" $(OLD); \
	(cd "$$t/old" && go test -c -o "$$t/before" $(PKG)); go test -c -o "$$t/after" $(PKG); \
	cd $(PKG); for side in before after; do \
		GOMAXPROCS=1 GOGC=off GODEBUG=asyncpreemptoff=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null \
			"$$t/$$side" -test.run '^$$' -test.bench '$(BENCH)' -test.benchtime $(TIMES)x > "$$t/$$side.txt" 2>&1 \
			|| { cat "$$t/$$side.txt"; exit 1; }; \
		sed -n "s/.*refs: */$$side /p" "$$t/$$side.txt"; \
	done

# Prints the seconds of self-play in each generation except the first, which has no network.
WORKERS_RUN ?= --set train.generations=4 --set train.passes=0.1 --set gate.games=2
bench-workers: ## compare a trainer with two goroutines to a trainer and a worker with one each, alternately
	@set -e; t=$$(mktemp -d); trap 'rm -rf "$$t"' EXIT; go build -o "$$t/dojo" ./cmd/dojo; \
	for i in $$(seq $(ROUNDS)); do \
		"$$t/dojo" train onitama --run "$$t/goroutines$$i" --workers 2 $(WORKERS_RUN) 2>/dev/null; \
		"$$t/dojo" worker --join 127.0.0.1:4299 --workers 1 2>/dev/null & \
		"$$t/dojo" train onitama --run "$$t/processes$$i" --workers 1 --listen 127.0.0.1:4299 --verify 0% $(WORKERS_RUN) 2>/dev/null; wait; \
		for side in goroutines processes; do \
			sed -n "2,\$$s/.*\"selfplay_seconds\":\([0-9.]*\).*/$$side \1/p" "$$t/$$side$$i/metrics.jsonl"; \
		done; \
	done

fuzz: ## play ten million random plies, then run each fuzz target for a minute
	DOJO_PLIES=10000000 go test -run '^TestLaws$$' ./engine/...
	git grep -o '^func Fuzz[A-Za-z0-9]*' -- '*_test.go' | while IFS=: read -r file target; do \
		go test -run '^$$' -fuzz "^$${target#func }\$$" -fuzztime 60s "./$$(dirname "$$file")" </dev/null || exit 1; \
	done

golden: ## rewrite the golden files of tests; then review the diff
	go test ./cli -update
	go test -run '^TestWire$$' ./serve/web -update
	go test -run '^TestGolden' $$(go list ./engine/... | grep -v -e enginetest -e 'engine$$') -update
	go test -run '^TestTrees$$' ./games -update
	go test -run '^(TestBits|TestMoves|TestSignature)$$' ./play/bot ./model/graph ./train -update

signature: ## print nodes and hash of a small training; quote them in a commit that must not change any bytes
	@go test -count=1 -run '^TestSignature$$' -v ./train | grep -o 'Bench: .*'

pages: ## build serve/web/dist from serve/web/src
	npm install --prefix serve/web --no-package-lock && npm run --prefix serve/web format && npm run --prefix serve/web build

generate: ## write the kernels' assembly and the licences of linked modules
	go generate ./model/kernel ./internal/licences

release: ## build into dist/: static programs for all platforms, bills of materials, licences, provenance, checksums
	.ci/release dist

# For example: make release-check ONLY=linux/amd64
ONLY ?=
release-check: ## check that the last commit gives the same release in two folders
	@set -e; t=$$(mktemp -d); trap 'rm -rf "$$t"' EXIT; \
	for i in a b; do \
		git clone -q . "$$t/folder-$$i/dojo"; \
		(cd "$$t/folder-$$i/dojo" && .ci/release "$$t/$$i" $(ONLY)); \
	done; \
	cat "$$t/a/SHA256SUMS"; diff -r "$$t/a" "$$t/b"
