//go:build !carryweb

package web

// carried is empty, because only a release carries the files for the browser.
var carried Runtime
