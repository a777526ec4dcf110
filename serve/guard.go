package serve

import (
	"bytes"
	"cmp"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"dojo.example/internal/bounded"
	"dojo.example/internal/health"
	"dojo.example/play"
	"dojo.example/serve/web"
)

// silent discards the messages of net/http. They only report clients that hang up or send invalid
// requests.
var silent = log.New(io.Discard, "", 0)

// handler returns the handler of all requests.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/runs", answering(s.getRuns))
	mux.HandleFunc("GET /api/runs/{run}/games", answering(s.getGames))
	mux.HandleFunc("GET /api/runs/{run}/games/{source}/{generation}/{number}", answering(s.getGame))
	mux.HandleFunc("POST /api/runs/{run}/games/{source}/{generation}/{number}", s.searching(s.postThoughts))
	mux.HandleFunc("POST /api/runs/{run}/watch", s.searching(s.postWatch))
	mux.HandleFunc("GET /api/models", answering(s.getModels))
	for name, f := range play.Answers {
		mux.HandleFunc("POST /api/"+name, questioned(f))
	}
	if s.kept != "" {
		mux.HandleFunc("POST /api/keep", questioned(s.keep))
	}
	mux.HandleFunc("POST /api/analyse", s.searching(s.analyse))
	mux.HandleFunc("/", s.getFile)
	outer := http.NewServeMux() // also redirects from the base path without / to the path with it
	outer.Handle(s.base+"/", http.StripPrefix(s.base, s.guard(mux)))
	if s.health != nil {
		for _, path := range health.Paths {
			outer.Handle(path, s.health)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// This fails only in tests, whose response recorder supports no deadlines.
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.writeTimeout))
		outer.ServeHTTP(w, r)
	})
}

// guard checks the origin and the token of each request, and sets the headers that every answer
// needs.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", web.Policy+"; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-cache")
		r, scheme, err := s.forwarded(r)
		if err != nil {
			fail(w, http.StatusBadRequest, err)
			return
		}
		if err := s.checkOrigin(r, scheme); err != nil {
			fail(w, http.StatusForbidden, err)
			return
		}
		if r.Method == http.MethodPost {
			if err := s.checkToken(r); err != nil {
				fail(w, http.StatusUnauthorized, err)
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, MaxBody)
		}
		next.ServeHTTP(w, r)
	})
}

// checkToken returns an error for a POST request that lacks the server's token or has a body that
// is not JSON.
func (s *Server) checkToken(r *http.Request) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); r.ContentLength != 0 && kind != "application/json" {
		return errors.New("the request body must have the Content-Type application/json")
	}
	if s.token == "" {
		return nil
	}
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		return errors.New("the request has no valid token; open the address that dojo printed, or add #token=TOKEN to the address")
	}
	return nil
}

// getFile answers with the page file that the request's path names.
func (s *Server) getFile(w http.ResponseWriter, r *http.Request) {
	if !isFile(r) {
		fail(w, http.StatusNotFound, fmt.Errorf("no such address: %s %s", r.Method, bounded.Quote(r.URL.Path)))
		return
	}
	name := cmp.Or(strings.TrimPrefix(r.URL.Path, "/"), "index.html")
	text, err := s.site, error(nil)
	if name != web.SiteFile {
		text, err = fs.ReadFile(web.Files(), name)
	}
	if err != nil {
		http.Error(w, "page not found", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", contentType(name))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
}

// contentType returns the MIME type of a page file. It does not use the operating system's table of
// types, because that table differs between machines.
func contentType(name string) string {
	return cmp.Or(map[string]string{
		".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".json": "application/json", ".svg": "image/svg+xml",
	}[path.Ext(name)], "application/octet-stream")
}

// answering returns a handler that answers with the result of f as JSON, or with the error of f. If
// f returns neither a result nor an error, f has already written the answer.
func answering(f func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		if err != nil {
			fail(w, statusOf(err), err)
		} else if v != nil {
			reply(w, http.StatusOK, v)
		}
	}
}

// fail answers with an error.
func fail(w http.ResponseWriter, status int, err error) {
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	reply(w, status, map[string]string{"error": bounded.Clip(err.Error())})
}

// reply answers with v as JSON.
func reply(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":"the server could not write its answer as JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may have hung up
}

// A statusError is an error with its own HTTP status.
type statusError struct {
	error
	status int
}

// statusOf returns the HTTP status of the answer for err.
func statusOf(err error) int {
	if e := (statusError{}); errors.As(err, &e) {
		return e.status
	}
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}
