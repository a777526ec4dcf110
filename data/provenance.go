package data

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/parquet-go/parquet-go"
)

// Provenance says where a shard comes from. Each field is stored in the file's metadata. Its key
// there is "dojo." followed by its JSON key.
type Provenance struct {
	Game        string `json:"game"`         // engine.Spec.Name
	SpecVersion int    `json:"spec_version"` // engine.Spec.Version
	Run         string `json:"run"`
	Generation  int    `json:"generation"`
	Shard       int    `json:"shard"`
	Seed        uint64 `json:"seed"` // seed of the run
	// Model is the hash of the checkpoint that played the games, or "uniform".
	Model          string `json:"model"`
	ProgramVersion string `json:"program"`
}

// A field is a key of a file's metadata and its value. The value is a text or a number.
type field struct {
	key   string
	value reflect.Value
}

// fields lists the metadata of a file: the schema version, and then the fields of p.
func (p *Provenance) fields(schema *int) []field {
	all := []field{{"dojo.schema", reflect.ValueOf(schema).Elem()}}
	for f, value := range reflect.ValueOf(p).Elem().Fields() {
		all = append(all, field{"dojo." + f.Tag.Get("json"), value})
	}
	return all
}

// options returns options for the Parquet writer, which make it store p in the file's metadata.
func (p *Provenance) options() (all []parquet.WriterOption) {
	schema := SchemaVersion
	for _, f := range p.fields(&schema) {
		all = append(all, parquet.KeyValueMetadata(f.key, fmt.Sprint(f.value)))
	}
	return all
}

// parse reads the metadata into p. It checks the schema version first, because files of a different
// version may have different keys.
func (p *Provenance) parse(lookup func(key string) (string, bool)) error {
	var schema int
	for _, f := range p.fields(&schema) {
		text, ok := lookup(f.key)
		if !ok {
			return fmt.Errorf("its metadata has no %s: it was not written by dojo", f.key)
		}
		if f.value.Kind() == reflect.String {
			f.value.SetString(text)
		} else if err := json.Unmarshal([]byte(text), f.value.Addr().Interface()); err != nil {
			return fmt.Errorf("its %s is not a number: %w", f.key, err)
		}
		if schema != SchemaVersion {
			return fmt.Errorf("it has schema %d, but this program reads schema %d", schema, SchemaVersion)
		}
	}
	return nil
}
