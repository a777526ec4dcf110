package main

import (
	"fmt"
	"regexp"

	"dojo/internal/bounded"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// grid is a table for people. Columns after the first are aligned right.
type grid struct{ writer table.Writer }

func newGrid(header ...any) grid {
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
	return grid{w}
}

// row appends a row. Only printable characters of its texts reach the terminal as they are.
func (g grid) row(cells ...any) {
	for i, c := range cells {
		if text, ok := c.(string); ok {
			cells[i] = bounded.Visible(text)
		}
	}
	g.writer.AppendRow(cells)
}

// String is the table without the blanks at the ends of its lines.
func (g grid) String() string { return trailing.ReplaceAllString(g.writer.Render(), "") }

var trailing = regexp.MustCompile(`(?m) +$`)

// print writes the table.
func (a *app) print(g grid) { fmt.Fprintln(a.stdout, g) }
