//go:build !carryweb

package web

// carried is empty in a program that is no release.
var carried Runtime
