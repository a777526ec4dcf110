package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"dojo.example/data/rundir"
)

// A report is one self-contained page with the data of its runs.
func TestReport(t *testing.T) {
	f := smallRun(t)
	var page bytes.Buffer
	if err := Report(&page, []rundir.Folder{f, smallRun(t)}, "v1 </script><script>"); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	if outside := regexp.MustCompile(`(?i)<[^>]+(src|href)="?(https?:|//|[a-z]+\.(js|css))`).FindString(text); outside != "" {
		t.Errorf("the report asks for %s", outside)
	}
	for _, element := range []string{"script", "style"} {
		inner := regexp.MustCompile(`(?s)<`+element+`(?: type="module")?>(.*?)</`+element+`>`).FindAllStringSubmatch(text, -1)
		if len(inner) != 1 {
			t.Fatalf("the report has %d of the element %s", len(inner), element)
		}
		sum := sha256.Sum256([]byte(inner[0][1]))
		if want := element + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(html.UnescapeString(text[:2000]), want) {
			t.Errorf("the policy of the report does not allow its own %s, %s", element, want)
		}
	}
	if n := strings.Count(strings.ToLower(text), "</script"); n != 3 || strings.Contains(text, "<!--") {
		t.Errorf("the report has %d ends of scripts, want 3 and no comment", n)
	}
	data := regexp.MustCompile(`(?s)id="report">(.*?)</script>`).FindStringSubmatch(text)
	var holds struct {
		Program string
		Runs    []Snapshot
	}
	if err := json.Unmarshal([]byte(data[1]), &holds); err != nil {
		t.Fatal(err)
	}
	if len(holds.Runs) != 2 || len(holds.Runs[0].Generations) != 2 || holds.Program != "v1 </script><script>" {
		t.Errorf("the report holds %+v", holds)
	}
	write(t, f.Record(1), []byte("nonsense"))
	if err := Report(&page, []rundir.Folder{f}, ""); err == nil || !strings.Contains(err.Error(), "000001.json") {
		t.Errorf("of a damaged run: %v", err)
	}
}
