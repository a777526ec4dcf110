//go:build !carryweb

package web

// Carried returns what this program carries to play in the browser; nil if it was not
// built as a release.
func Carried() *Runtime { return nil }
