//go:build !carryweb

package web

// carried is empty in all builds except releases. Only a release carries the files for the browser.
var carried Runtime
