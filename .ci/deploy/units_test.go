package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The command line of each unit uses exactly the credentials that the unit loads from /etc/dojo,
// and writes only to the unit's own folder. The comment at the beginning names the files.
func TestUnits(t *testing.T) {
	units, err := filepath.Glob(filepath.Join(folder, "*.service"))
	if err != nil || len(units) < 2 {
		t.Fatalf("units %q: %v", units, err)
	}
	for _, unit := range units {
		name := filepath.Base(unit)
		text := read(t, name)
		for _, problem := range inspectUnit(text) {
			t.Errorf("%s: %s", name, problem)
		}
		if args := unitCommand(text); args[0] == "serve" {
			var p problems
			checkProxied(name, args, read(t, "nginx.conf"), &p)
			for _, problem := range p {
				t.Error(problem)
			}
		}
	}
}

func inspectUnit(text string) (p problems) {
	var loaded, used []string
	for _, c := range regexp.MustCompile(`(?m)^LoadCredential=([^:\n]+):/etc/dojo/(\S+)$`).FindAllStringSubmatch(text, -1) {
		loaded = append(loaded, c[1])
		if !regexp.MustCompile(`(?m)^#.*\b` + regexp.QuoteMeta(c[2]) + `\b`).MatchString(text) {
			p.add("no comment mentions the file %s", c[2])
		}
	}
	for _, c := range regexp.MustCompile(`\$\{CREDENTIALS_DIRECTORY\}/(\S+)`).FindAllStringSubmatch(text, -1) {
		used = append(used, c[1])
	}
	if !same(loaded, used) {
		p.add("it loads the credentials %q and uses %q", loaded, used)
	}
	for _, c := range regexp.MustCompile(`\$\{(DOJO_\w+)\}`).FindAllStringSubmatch(text, -1) {
		if !regexp.MustCompile(`(?m)^#\s+` + c[1] + `=`).MatchString(text) {
			p.add("no comment says how to set %s", c[1])
		}
	}
	state := regexp.MustCompile(`(?m)^StateDirectory=(\S+)$`).FindStringSubmatch(text)
	for _, file := range regexp.MustCompile(`(?m)--(?:run|key) (\S+)`).FindAllStringSubmatch(text, -1) {
		if state == nil || !within(file[1], "/var/lib/"+state[1]) {
			p.add("%s is not in the unit's folder %q", file[1], state)
		}
	}
	for _, directive := range []string{"Restart", "RestartPreventExitStatus", "MemoryMax", "ExecStart", "WantedBy"} {
		if n := len(regexp.MustCompile(`(?m)^`+directive+`=`).FindAllString(text, -1)); n != 1 {
			p.add("it has %d lines with %s, want 1", n, directive)
		}
	}
	if !slices.Contains(regexp.MustCompile(`(?m)^RestartPreventExitStatus=(\d+)$`).FindStringSubmatch(text), "2") {
		p.add("it restarts after a wrong command line")
	}
	return p
}

// unitCommand returns the command line of a unit, with the variables as its comments set them.
func unitCommand(text string) []string {
	variables := map[string]string{"CREDENTIALS_DIRECTORY": "/run/credentials"}
	for _, v := range regexp.MustCompile(`(?m)^#\s+(DOJO_\w+)=(\S+)$`).FindAllStringSubmatch(text, -1) {
		variables[v[1]] = v[2]
	}
	line := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/dojo (.*)$`).FindStringSubmatch(text)
	return strings.Fields(os.Expand(line[1], func(name string) string { return variables[name] }))
}
