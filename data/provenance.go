package data

import (
	"fmt"
	"strconv"
)

// Provenance says where a shard comes from. It is kept in the file's metadata.
type Provenance struct {
	Game           string `json:"game"`         // engine.Spec.Name
	SpecVersion    int    `json:"spec_version"` // engine.Spec.Version
	Run            string `json:"run"`
	Generation     int    `json:"generation"`
	Shard          int    `json:"shard"`
	Seed           uint64 `json:"seed"`  // of the run
	Model          string `json:"model"` // the checkpoint that played, or "uniform"
	ProgramVersion string `json:"program"`
}

// pairs returns the keys and values of the file's metadata.
func (p Provenance) pairs() [][2]string {
	return [][2]string{
		{"dojo.schema", strconv.Itoa(SchemaVersion)},
		{"dojo.game", p.Game},
		{"dojo.spec_version", strconv.Itoa(p.SpecVersion)},
		{"dojo.run", p.Run},
		{"dojo.generation", strconv.Itoa(p.Generation)},
		{"dojo.shard", strconv.Itoa(p.Shard)},
		{"dojo.seed", strconv.FormatUint(p.Seed, 10)},
		{"dojo.model", p.Model},
		{"dojo.program", p.ProgramVersion},
	}
}

// parse reads what pairs wrote. It checks the schema first, because another schema may
// have other keys.
func (p *Provenance) parse(lookup func(key string) (string, bool)) (err error) {
	text := func(key string) string {
		v, ok := lookup(key)
		if !ok && err == nil {
			err = fmt.Errorf("its metadata has no %s: it was not written by dojo", key)
		}
		return v
	}
	number := func(key string) int {
		n, bad := strconv.Atoi(text(key))
		if bad != nil && err == nil {
			err = fmt.Errorf("its %s is no number: %w", key, bad)
		}
		return n
	}
	schema := number("dojo.schema")
	if err == nil && schema != SchemaVersion {
		return fmt.Errorf("it has schema %d, this program reads %d", schema, SchemaVersion)
	}
	*p = Provenance{
		Game: text("dojo.game"), SpecVersion: number("dojo.spec_version"), Run: text("dojo.run"),
		Generation: number("dojo.generation"), Shard: number("dojo.shard"),
		Model: text("dojo.model"), ProgramVersion: text("dojo.program"),
	}
	seed, bad := strconv.ParseUint(text("dojo.seed"), 10, 64)
	if bad != nil && err == nil {
		err = fmt.Errorf("its dojo.seed is no number: %w", bad)
	}
	p.Seed = seed
	return err
}
