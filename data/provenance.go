package data

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"
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

// A field is a key of the file's metadata and its value, a *string, *int or *uint64.
type field struct {
	key   string
	value any
}

func (p *Provenance) fields() []field {
	return []field{
		{"dojo.game", &p.Game},
		{"dojo.spec_version", &p.SpecVersion},
		{"dojo.run", &p.Run},
		{"dojo.generation", &p.Generation},
		{"dojo.shard", &p.Shard},
		{"dojo.seed", &p.Seed},
		{"dojo.model", &p.Model},
		{"dojo.program", &p.ProgramVersion},
	}
}

const schemaKey = "dojo.schema"

// options are the file's metadata for its writer.
func (p *Provenance) options() []parquet.WriterOption {
	all := []parquet.WriterOption{parquet.KeyValueMetadata(schemaKey, strconv.Itoa(SchemaVersion))}
	for _, f := range p.fields() {
		all = append(all, parquet.KeyValueMetadata(f.key, fmt.Sprint(reflect.ValueOf(f.value).Elem())))
	}
	return all
}

// parse reads the metadata. It checks the schema first, because another schema may have other
// keys.
func (p *Provenance) parse(lookup func(key string) (string, bool)) error {
	var schema int
	for _, f := range append([]field{{schemaKey, &schema}}, p.fields()...) {
		text, ok := lookup(f.key)
		if !ok {
			return fmt.Errorf("its metadata has no %s: it was not written by dojo", f.key)
		}
		if s, ok := f.value.(*string); ok {
			*s = text
		} else if err := json.Unmarshal([]byte(text), f.value); err != nil {
			return fmt.Errorf("its %s is no number: %w", f.key, err)
		}
		if schema != SchemaVersion {
			return fmt.Errorf("it has schema %d, this program reads %d", schema, SchemaVersion)
		}
	}
	return nil
}
