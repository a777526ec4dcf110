package verify

import (
	"fmt"
	"reflect"
	"strings"

	"dojo.example/train"
)

// compare returns the differences between a record and again, a copy of the record in which one
// part was recomputed. Each difference is a text such as "gate.elo is 300, not 29.02". The struct
// tag "verify" in train.Metrics selects the fields to compare.
func compare(recorded, again train.Metrics) (differences []string) {
	same := recorded.Formulas == train.Formulas
	var fields func(prefix string, x, y reflect.Value)
	fields = func(prefix string, x, y reflect.Value) {
		for field, v := range x.Fields() {
			tag, w := field.Tag.Get("verify"), y.FieldByIndex(field.Index)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case tag == "no" || tag == "formulas" && !same:
			case v.Kind() == reflect.Struct:
				fields(prefix+name+".", v, w)
			case v.Interface() != w.Interface():
				differences = append(differences, fmt.Sprintf("%s is %v, not %v", prefix+name, v, w))
			}
		}
	}
	fields("", reflect.ValueOf(recorded), reflect.ValueOf(again))
	return differences
}
