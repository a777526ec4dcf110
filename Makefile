# The few things a developer types. Everything else is "go run ./cmd/dojo".

.PHONY: check test bench fuzz golden generate

check: ## what must hold before a change is shared
	.ci/run

test:
	go test ./...

bench: ## Go's benchmarks of every package
	go test -run '^$$' -bench . ./...

fuzz: ## ten million random plies, then a minute for each game's laws
	DOJO_PLIES=10000000 go test -run '^TestMillions$$' -v ./engine/...
	for p in $$(go list ./engine/... | grep -v -e enginetest -e 'engine$$'); do \
		for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			go test -run '^$$' -fuzz "^$$f\$$" -fuzztime 60s $$p || exit 1; \
		done; \
	done

golden: ## rewrite the files that tests compare with; look at the diff
	go test ./cmd/dojo -update
	go test -run '^TestGolden' ./engine/onitama ./engine/tictactoe -update

generate: ## the kernels' assembly
	go generate ./model/kernel
