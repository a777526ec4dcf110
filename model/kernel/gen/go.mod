module dojo/model/kernel/gen

go 1.26.0

require (
	dojo v0.0.0
	github.com/mmcloughlin/avo v0.6.0
	golang.org/x/tools v0.38.0
)

require (
	golang.org/x/mod v0.29.0 // indirect
	golang.org/x/sync v0.17.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace dojo => ../../..
