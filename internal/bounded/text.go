package bounded

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns an error if text is not safe to print on a terminal or to store in one line of a
// file. This is the case if it contains control characters, line separators, characters that change
// the writing direction, or invalid UTF-8.
func Text(text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("the text %s is not UTF-8", Quote(text))
	}
	if i := strings.IndexFunc(text, forbidden); i >= 0 {
		r, _ := utf8.DecodeRuneInString(text[i:])
		return fmt.Errorf("the text %s has the control character %U", Quote(text), r)
	}
	return nil
}

func forbidden(r rune) bool {
	return r < ' ' || r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
}

// Unmarshal is like json.Unmarshal, but also checks all strings that it stores in v; see Texts. Use
// it for data from a file or from another program.
func Unmarshal(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil {
		return err
	}
	return Texts(v)
}

// Texts checks all strings in v with Text and returns the first error. A field with the tag
// text:"lines" may contain line feeds.
func Texts(v any) error { return check(reflect.ValueOf(v)) }

func check(v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		return Text(v.String())
	case reflect.Pointer, reflect.Interface:
		return check(v.Elem()) // for a nil pointer, Elem has the kind Invalid
	case reflect.Struct:
		return checkFields(v)
	case reflect.Slice, reflect.Array:
		switch v.Type().Elem().Kind() {
		case reflect.String, reflect.Struct, reflect.Slice, reflect.Array, reflect.Map, reflect.Pointer, reflect.Interface:
		default:
			return nil // numbers need no check, and there may be many of them
		}
		for i := range v.Len() {
			if err := check(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		for of := v.MapRange(); of.Next(); {
			if err := errors.Join(check(of.Key()), check(of.Value())); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkFields(v reflect.Value) error {
	for i := range v.NumField() {
		about, field := v.Type().Field(i), v.Field(i)
		switch {
		case !about.IsExported() && !about.Anonymous:
			continue // decoders do not write to unexported fields
		case about.Tag.Get("text") == "lines":
			field = reflect.ValueOf(strings.ReplaceAll(field.String(), "\n", ""))
		}
		if err := check(field); err != nil {
			return err
		}
	}
	return nil
}

// Visible returns text with each unprintable character replaced by its Go escape sequence.
func Visible(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		escape := strconv.QuoteRune(r)
		b.WriteString(escape[1 : len(escape)-1])
	}
	return b.String()
}

// LineWidth is the maximum number of columns in a line printed for people.
const LineWidth = 80

// Fit returns beginning, followed by as much of rest as fits into a line of LineWidth columns.
func Fit(beginning, rest string) string {
	room := max(0, LineWidth-utf8.RuneCountInString(beginning))
	if runes := []rune(rest); len(runes) > room {
		rest = string(runes[:max(0, room-1)]) + "…"
	}
	return strings.TrimRight(beginning+rest, " ")
}

// Decode decodes r, which must contain exactly one JSON value. An unknown key or a second value is
// an error.
func Decode(r io.Reader, to any) error {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if err == nil && d.More() {
		return errors.New("there is more than one JSON value")
	}
	if kind := (*json.UnmarshalTypeError)(nil); errors.As(err, &kind) {
		return fmt.Errorf("%s: the value has type %s, but must have type %s", cmp.Or(kind.Field, "JSON"), kind.Value, kind.Type)
	}
	return err
}

// Wrap returns head followed by words, broken into lines of at most LineWidth columns. A line is
// longer only if it consists of a single long word.
func Wrap(head string, words []string) string {
	text, width := head, utf8.RuneCountInString(head)
	for _, word := range words {
		n := utf8.RuneCountInString(word)
		if width+1+n > LineWidth {
			text, width = text+"\n ", 1
		}
		text, width = text+" "+word, width+1+n
	}
	return text
}
