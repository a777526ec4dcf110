package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"regexp"

	"dojo.example/run"
	"dojo.example/web"
)

// reportPage is the page of a report. Its content security policy allows its own script and
// style and nothing else, so that it loads nothing. The script shows the runs in the element
// report in place of those of a server.
var reportPage = template.Must(template.New("report").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '{{.ScriptHash}}'; style-src '{{.StyleHash}}'; img-src data:; base-uri 'none'; form-action 'none'">
<title>{{.Title}}</title>
<link rel="icon" href="data:,">
<style>{{.Style}}</style>
</head>
<body>
<div id="app"></div>
<noscript><p class="loading">This report needs JavaScript.</p></noscript>
<script type="application/json" id="report">{{.Data}}</script>
<script type="application/json" id="words-vi">{{.Words}}</script>
<script type="module">{{.Script}}</script>
</body>
</html>
`))

// Report writes the dashboard of some runs, as they are now, as one page that can be
// read from a file, without a server or a network.
func Report(w io.Writer, folders []run.Folder, program string) error {
	if len(folders) == 0 {
		return errors.New("a report needs a run")
	}
	s, err := New(Options{Runs: folders})
	if err != nil {
		return err
	}
	s.refresh()
	runs := s.news(0).runs
	title := "dojo:"
	for _, r := range runs {
		if r.Error != "" {
			return errors.New(r.Error)
		}
		title += " " + r.Run
	}
	// json.Marshal writes "<" as \u003c, so that the data cannot end the script element.
	data, err := json.Marshal(map[string]any{"program": program, "runs": runs})
	if err != nil {
		return err
	}
	script, err := inline("report.js", closesScript)
	if err != nil {
		return err
	}
	words, err := inline("vi.json", closesScript)
	if err != nil {
		return err
	}
	style, err := inline("style.css", closesStyle)
	if err != nil {
		return err
	}
	return reportPage.Execute(w, map[string]any{
		"Title": title, "Data": template.JS(data), "Words": template.JS(words),
		"Script": template.JS(script), "ScriptHash": template.HTMLAttr(hash(script)),
		"Style": template.CSS(style), "StyleHash": template.HTMLAttr(hash(style)),
	})
}

// These match text that would end a script or a style element early.
var (
	closesScript = regexp.MustCompile(`(?i)</script|<!--`)
	closesStyle  = regexp.MustCompile(`(?i)</style`)
)

// inline returns a file of the pages in the form in which it stands within an element, which is
// what browsers hash.
func inline(name string, closes *regexp.Regexp) ([]byte, error) {
	text, err := fs.ReadFile(web.Files(), name)
	if err != nil {
		return nil, err
	}
	if closes.Match(text) {
		return nil, fmt.Errorf("%s of the pages cannot stand within a page", name)
	}
	return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), nil
}

// hash is the source of a content security policy that allows one text.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
