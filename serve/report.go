package serve

import (
	"encoding/json"
	"errors"
	"html"
	"io"
	"io/fs"
	"strings"

	"dojo.example/data/rundir"
	"dojo.example/serve/web"
)

// Report writes a dashboard that shows the current state of some runs as a single page. The page
// can be opened from a file, and needs neither a server nor a network.
func Report(w io.Writer, folders []rundir.Folder, program string) error {
	if len(folders) == 0 {
		return errors.New("a report needs at least one run")
	}
	s, err := New(Options{Runs: folders})
	if err != nil {
		return err
	}
	s.refresh()
	runs := s.news("").Runs
	title := "dojo:"
	for _, r := range runs {
		if r.Error != "" {
			return errors.New(r.Error)
		}
		title += " " + r.Run
	}
	// json.Marshal writes "<" as \u003c, so the data cannot end the script element.
	data, err := json.Marshal(map[string]any{"program": program, "runs": runs})
	if err != nil {
		return err
	}
	page, err := fs.ReadFile(web.Files(), "report.html")
	if err != nil {
		return err
	}
	// The page contains hashes of its script and style, computed from sources whose lines end in
	// \n. So \r\n must become \n.
	fill := strings.NewReplacer("{{title}}", html.EscapeString(title), "{{data}}", string(data), "\r\n", "\n")
	_, err = fill.WriteString(w, string(page))
	return err
}
