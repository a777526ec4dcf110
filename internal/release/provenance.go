package main

import (
	"encoding/json"
	"fmt"
	"runtime"
)

// A statement says of files how they were built, as SLSA's provenance, version 1
// (https://slsa.dev/spec/v1.0/provenance), in a statement of in-toto. Times are left out, so that
// the same commit has the same statement. It is not signed; the publisher of a release signs it.
type statement struct {
	Type          string     `json:"_type"`
	Subject       []artefact `json:"subject"`
	PredicateType string     `json:"predicateType"`
	Predicate     struct {
		Definition struct {
			BuildType string         `json:"buildType"`
			External  map[string]any `json:"externalParameters"`
			Internal  map[string]any `json:"internalParameters"`
			Resolved  []artefact     `json:"resolvedDependencies"`
		} `json:"buildDefinition"`
		Run struct {
			Builder struct {
				ID string `json:"id"`
			} `json:"builder"`
		} `json:"runDetails"`
	} `json:"predicate"`
}

// An artefact is a file, or what files were made of.
type artefact struct {
	Name   string            `json:"name,omitempty"`
	URI    string            `json:"uri,omitempty"`
	Digest map[string]string `json:"digest"`
}

// provenance says how files were built, by their SHA-256: from which commit and modules, by which Go
// and with which flags. The modules are those of the bills.
func provenance(files []artefact, only string) ([]byte, error) {
	commit, err := output("git", "rev-parse", "HEAD")
	if err != nil {
		return nil, fmt.Errorf("provenance: the commit: %w", err)
	}
	changed, err := output("git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return nil, fmt.Errorf("provenance: the commit: %w", err)
	}
	s := statement{Type: "https://in-toto.io/Statement/v1", PredicateType: "https://slsa.dev/provenance/v1", Subject: files}
	d := &s.Predicate.Definition
	d.BuildType = "https://dojo.example/internal/release/v1"
	d.External = map[string]any{"command": "go run ./internal/release", "only": only}
	d.Internal = map[string]any{"go": runtime.Version(), "flags": buildFlags, "environment": platform{"$GOOS", "$GOARCH"}.env(), "modified": changed != ""}
	d.Resolved = []artefact{{URI: "git+https://dojo.example", Digest: map[string]string{"gitCommit": commit}}}
	s.Predicate.Run.Builder.ID = "https://dojo.example/internal/release"
	return json.MarshalIndent(s, "", "  ")
}
