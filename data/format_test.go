package data_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"dojo.example/data"
)

// The table of columns in docs/FORMAT.md lists the columns of Row.
func TestFormatDescribesColumns(t *testing.T) {
	text, err := os.ReadFile("../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(text), fmt.Sprintf("Schema version %d:\n\n", data.SchemaVersion))
	if !ok {
		t.Fatalf("docs/FORMAT.md has no table of schema version %d", data.SchemaVersion)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| `") && len(cells) == 3 {
			got = append(got, strings.TrimPrefix(cells[0], "| ")+" "+cells[1])
		}
	}
	if want := columns(reflect.TypeFor[data.Row]()); !reflect.DeepEqual(got, want) {
		t.Errorf("docs/FORMAT.md has columns\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// columns returns the names and types of a row's columns, written as in docs/FORMAT.md.
func columns(row reflect.Type) (all []string) {
	for i := range row.NumField() {
		field := row.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("parquet"), ",")
		kind := field.Type.String()
		switch field.Type.Kind() {
		case reflect.Float32:
			kind = "float"
		case reflect.Slice:
			kind = "list of {" + strings.Join(columns(field.Type.Elem()), ", ") + "}"
		}
		all = append(all, "`"+name+"` "+kind)
	}
	return all
}
