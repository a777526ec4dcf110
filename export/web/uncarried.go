//go:build !carryweb

package web

// carried is empty in a program that is not a release.
var carried Runtime
