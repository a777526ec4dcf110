# The few things a developer types. Everything else is "go run ./cmd/dojo".

.PHONY: check test bench fuzz golden generate

check: ## what must hold before a change is shared
	.ci/run

test:
	go test ./...

bench: ## Go's benchmarks of every package
	go test -run '^$$' -bench . ./...

fuzz: ## a minute for each game's laws
	for p in $$(go list ./engine/... | grep -v -e enginetest -e 'engine$$'); do \
		for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz'); do \
			go test -run '^$$' -fuzz "^$$f\$$" -fuzztime 60s $$p || exit 1; \
		done; \
	done

golden: ## rewrite the files that tests compare with; look at the diff
	go test ./cmd/dojo -update

generate: ## the kernels' assembly
	go generate ./model/kernel
