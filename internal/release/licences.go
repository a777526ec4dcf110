package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"dojo.example/internal/licences"
)

// collect returns the content of the file of package licences, from the licences that
// lie beside the code in the module cache.
func collect() (string, error) {
	root, err := output("go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return "", err
	}
	goroot, err := output("go", "env", "GOROOT")
	if err != nil {
		return "", err
	}
	var all strings.Builder
	all.WriteString("dojo and what is linked into it come under these licences.\n\n")
	for _, part := range []struct{ name, path string }{
		{licences.Own, filepath.Join(root, "LICENSE")},
		{licences.Go, filepath.Join(goroot, "LICENSE")},
		{licences.Functions, filepath.Join(root, "internal", "licences", "functions.txt")},
	} {
		text, err := read(part.path)
		if err != nil {
			return "", err
		}
		s, err := section([]string{part.name}, text)
		if err != nil {
			return "", err
		}
		all.WriteString(s.String())
	}
	dirs, err := modules()
	if err != nil {
		return "", err
	}
	names := map[string][]string{} // the modules with a text
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		text, err := licenceIn(dirs[path])
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		names[text] = append(names[text], path)
	}
	texts := slices.SortedFunc(maps.Keys(names), func(a, b string) int { return cmp.Compare(names[a][0], names[b][0]) })
	for _, text := range texts {
		s, err := section(names[text], text)
		if err != nil {
			return "", err
		}
		all.WriteString(s.String())
	}
	return strings.TrimRight(all.String(), "\n") + "\n", nil
}

// modules are the folders of the modules that are linked into dojo on some platform, by
// their paths.
func modules() (map[string]string, error) {
	dirs := map[string]string{}
	for _, p := range platforms {
		list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "dojo.example/cmd/dojo")
		list.Env = append(os.Environ(), p.env()...)
		list.Stderr = os.Stderr
		text, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("list what is linked on %s: %w", p, err)
		}
		for line := range strings.Lines(string(text)) {
			if path, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				dirs[path] = dir
			}
		}
	}
	return dirs, nil
}

// licenceIn returns the texts of the licence in a module's folder, and of its notice if
// it has one.
func licenceIn(dir string) (string, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var texts []string
	for _, f := range files {
		if name := strings.ToLower(f.Name()); !f.IsDir() && licenceName.MatchString(name) {
			text, err := read(filepath.Join(dir, f.Name()))
			if err != nil {
				return "", err
			}
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "", fmt.Errorf("no licence in %s: %w", dir, fs.ErrNotExist)
	}
	return strings.Join(texts, "\n"), nil
}

var licenceName = regexp.MustCompile(`^(licen[cs]e|copying|notice)(\.txt|\.md)?$`)

// read returns a text with plain line ends and without space around it.
func read(path string) (string, error) {
	text, err := os.ReadFile(path)
	return string(bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))), err
}

// section finds out which licence a text is, or which several.
func section(names []string, text string) (licences.Section, error) {
	plain := strings.ToLower(strings.Join(strings.Fields(text), " "))
	var found []string
	for _, known := range []struct{ phrase, spdx string }{
		{"apache license version 2.0", "Apache-2.0"},
		{"mozilla public license version 2.0", "MPL-2.0"},
		{"permission is hereby granted, free of charge, to any person", "MIT"},
		{"permission to use, copy, modify, and/or distribute this software for any purpose", "ISC"},
		{"derived from this software without specific prior written permission", "BSD-3-Clause"},
		{"redistribution and use in source and binary forms", "BSD-2-Clause"},
		{"developed at sunpro", "SunPro"},
		{"cephes mathematical library", "LicenseRef-Cephes"},
	} {
		if strings.Contains(plain, known.phrase) && !(known.spdx == "BSD-2-Clause" && slices.Contains(found, "BSD-3-Clause")) {
			found = append(found, known.spdx)
		}
	}
	if len(found) == 0 {
		return licences.Section{}, errors.New("the licence of " + strings.Join(names, ", ") + " is none that is known here: see what it asks for, and name it")
	}
	return licences.Section{Names: names, SPDX: strings.Join(found, " AND "), Text: text}, nil
}

// output returns the one line that a command prints.
func output(name string, args ...string) (string, error) {
	text, err := exec.Command(name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(text)), nil
}
