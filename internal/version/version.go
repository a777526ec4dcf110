// Package version reports the version of this program. The go command stores it in the executable.
package version

import "runtime/debug"

// Info describes the program's version.
type Info struct {
	Version  string `json:"version"`          // version of the module, or "devel"
	Commit   string `json:"commit,omitempty"` // commit from which the program was built, if known
	Modified bool   `json:"modified"`         // true if the source differed from the commit
	Go       string `json:"go"`               // version of the Go toolchain
}

// Read returns the version of the running program.
func Read() Info {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return Info{Version: devel}
	}
	return read(build)
}

// String returns the version on one line: "devel", "devel 5d41402a", "devel 5d41402a modified" or
// "v1.2.3". This is the form that the program stores in the files that it writes.
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
	// If the program was built from a checkout, its version is "(devel)" or a pseudo-version. Use
	// devel instead, because the commit identifies the version.
	if i.Commit != "" || i.Version == "" || i.Version == "(devel)" {
		i.Version = devel
	}
	return i
}
