package version

import (
	"runtime/debug"
	"testing"
)

func TestString(t *testing.T) {
	revision := debug.BuildSetting{Key: "vcs.revision", Value: "5d41402abc4b2a76"}
	modified := debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		name     string
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"go run", "(devel)", nil, "devel"},
		{"test", "", nil, "devel"},
		{"installed release", "v1.2.3", nil, "v1.2.3"},
		{"checkout", "v0.0.0-20260101000000-5d41402abc4b", []debug.BuildSetting{revision}, "devel 5d41402a"},
		{"changed checkout", "v0.0.0-20260101000000-5d41402abc4b+dirty", []debug.BuildSetting{revision, modified}, "devel 5d41402a modified"},
	} {
		build := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: c.version}, Settings: c.settings}
		if got := read(build).String(); got != c.want {
			t.Errorf("%s: version %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReadNamesTheToolchain(t *testing.T) {
	if i := Read(); i.Go == "" || i.Version == "" {
		t.Errorf("Read() = %+v, want a version and a toolchain", i)
	}
}
