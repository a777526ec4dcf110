package console

import (
	"regexp"

	"dojo.example/internal/bounded"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A Table is a table printed for people. All columns except the first are right-aligned.
type Table struct{ writer table.Writer }

// NewTable returns a table without rows. header has the column titles.
func NewTable(header ...any) Table {
	w := table.NewWriter()
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", " "
	style.Options = table.Options{SeparateHeader: true}
	w.SetStyle(style)
	w.AppendHeader(header)
	columns := make([]table.ColumnConfig, len(header)-1)
	for i := range columns {
		columns[i] = table.ColumnConfig{Number: i + 2, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	w.SetColumnConfigs(columns)
	return Table{w}
}

// Row appends a row. It replaces unprintable characters in texts with escape sequences.
func (t Table) Row(cells ...any) {
	for i, c := range cells {
		if text, ok := c.(string); ok {
			cells[i] = bounded.Visible(text)
		}
	}
	t.writer.AppendRow(cells)
}

// String returns the table without trailing spaces.
func (t Table) String() string { return trailing.ReplaceAllString(t.writer.Render(), "") }

var trailing = regexp.MustCompile(`(?m) +$`)
