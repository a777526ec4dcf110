// Package cputime reports how much CPU time this process has used on all cores
// together. Other processes affect it only through shared caches and cores.
package cputime
