package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"io/fs"

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
	runs := s.news("").Runs
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
	// The files stand within elements as browsers hash them. TestReport sees that no text in them
	// ends its element.
	files := map[string][]byte{}
	for _, name := range []string{"report.js", "vi.json", "style.css"} {
		text, err := fs.ReadFile(web.Files(), name)
		if err != nil {
			return err
		}
		files[name] = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	return reportPage.Execute(w, map[string]any{
		"Title": title, "Data": template.JS(data), "Words": template.JS(files["vi.json"]),
		"Script": template.JS(files["report.js"]), "ScriptHash": template.HTMLAttr(hash(files["report.js"])),
		"Style": template.CSS(files["style.css"]), "StyleHash": template.HTMLAttr(hash(files["style.css"])),
	})
}

// hash is the source of a content security policy that allows one text.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
