// Package version says which program this is, from what the Go tool has
// written into it.
package version

import "runtime/debug"

// Info is the program's version.
type Info struct {
	Version  string `json:"version"`          // of the module, or "devel"
	Commit   string `json:"commit,omitempty"` // the revision built, if known
	Modified bool   `json:"modified"`         // whether the tree differed from the commit
	Go       string `json:"go"`               // the toolchain
}

// Read returns the version of the running program.
func Read() Info {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return Info{Version: devel}
	}
	return read(build)
}

// String is the version on one line, as files that the program writes bear
// it: "devel", "devel 5d41402a", "devel 5d41402a modified" or "v1.2.3".
func String() string { return Read().String() }

func (i Info) String() string {
	s := i.Version
	if s == devel && i.Commit != "" {
		s += " " + i.Commit[:min(8, len(i.Commit))]
	}
	if i.Modified {
		s += " modified"
	}
	return s
}

// devel is the version of a program that was not installed as a release.
const devel = "devel"

func read(build *debug.BuildInfo) Info {
	i := Info{Version: build.Main.Version, Go: build.GoVersion}
	for _, s := range build.Settings {
		switch s.Key {
		case "vcs.revision":
			i.Commit = s.Value
		case "vcs.modified":
			i.Modified = s.Value == "true"
		}
	}
	// A build from a checkout has no release's version, but "(devel)" or a
	// pseudo-version, which says no more than the commit does.
	if i.Commit != "" || i.Version == "" || i.Version == "(devel)" {
		i.Version = devel
	}
	return i
}
