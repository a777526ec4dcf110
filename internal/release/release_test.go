package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"dojo.example/export/web"
	"dojo.example/internal/licences"
	"dojo.example/internal/slow"
)

// The licences in the program are those of what is linked into it.
func TestLicencesAreCurrent(t *testing.T) {
	slow.Test(t, "lists what the program links on all systems")
	want, err := collect()
	if err != nil {
		t.Fatal(err)
	}
	if licences.All() != want {
		t.Error("internal/licences/notices.txt is not what is linked: go generate ./internal/licences")
	}
}

// A text that is not a known licence stops a release, and one of several names all.
func TestSection(t *testing.T) {
	mit := "Permission is hereby granted, free of charge,\nto any person obtaining a copy"
	for text, want := range map[string]string{
		mit: "MIT",
		mit + "\nRedistribution and use in source and binary forms": "MIT AND BSD-2-Clause",
		"All rights reserved.": "",
	} {
		s, err := section([]string{"example.org/m"}, text)
		if s.SPDX != want || (err == nil) != (want != "") {
			t.Errorf("the licence of %q is %q, %v; want %q", text, s.SPDX, err, want)
		}
	}
}

// The bill of a program, here of this test, names every module with version and licence,
// and is the same twice.
func TestBill(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := billOf(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bill
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	if b.Metadata.Component.Name != "dojo.example" || len(b.Metadata.Component.Hashes[0]["content"]) != 64 {
		t.Errorf("the bill is of %+v", b.Metadata.Component)
	}
	if !slices.ContainsFunc(b.Components, func(c component) bool { return c.Name == "std" }) {
		t.Errorf("Go's library is not among the components %+v", b.Components)
	}
	for _, c := range b.Components {
		if c.Version == "" || len(c.Licences) != 1 || c.Licences[0]["expression"] == "" || !strings.HasPrefix(c.URL, "pkg:golang/") {
			t.Errorf("component %+v", c)
		}
	}
	again, err := billOf(path)
	if err != nil || string(again) != string(text) {
		t.Errorf("the bill of the same program differs: %v", err)
	}
}

// A new release takes the place of the last and touches nothing else.
func TestRemoveLast(t *testing.T) {
	dir := t.TempDir()
	sums := filepath.Join(dir, "SHA256SUMS")
	for name, content := range map[string]string{
		"dojo-linux-amd64": "", "mine": "", "SHA256SUMS": "00  dojo-linux-amd64\n00  ../outside\n00  gone\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeLast(sums); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || left[0].Name() != "mine" {
		t.Errorf("%v are left, %v; want mine alone", left, err)
	}
}

// A program of a release makes a page that plays without Go and without the sources.
func TestCarry(t *testing.T) {
	dir := t.TempDir()
	overlay, err := carry(dir)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "dojo")
	if err := build(platform{runtime.GOOS, runtime.GOARCH}, program, overlay); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "export", "--game", "tictactoe", "--as", "web", "-o", "site")
	cmd.Dir, cmd.Env = dir, []string{"PATH=", "HOME=" + dir, "USERPROFILE=" + dir}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range web.Names() {
		if _, err := os.Stat(filepath.Join(dir, "site", name)); err != nil {
			t.Error(err)
		}
	}
}

// The statement of how files were built has what a verifier of SLSA reads, and is the same twice.
func TestProvenance(t *testing.T) {
	if _, err := output("git", "rev-parse", "HEAD"); err != nil {
		t.Skip("the sources are not a repository of git")
	}
	files := []artefact{{Name: "dojo", Digest: map[string]string{"sha256": "00"}}}
	text, err := provenance(files, "")
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Type      string     `json:"_type"`
		Subject   []artefact `json:"subject"`
		Predicate struct {
			Definition struct {
				Resolved []artefact `json:"resolvedDependencies"`
			} `json:"buildDefinition"`
		} `json:"predicate"`
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if s.Type != "https://in-toto.io/Statement/v1" || len(s.Subject) != 1 || s.Subject[0].Name != "dojo" || len(s.Predicate.Definition.Resolved[0].Digest["gitCommit"]) != 40 {
		t.Errorf("the statement is %s", text)
	}
	again, err := provenance(files, "")
	if err != nil || string(again) != string(text) {
		t.Errorf("the second statement differs: %v", err)
	}
}
