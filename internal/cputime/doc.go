// Package cputime reports how much CPU time this process has used, summed over all cores. Other
// processes affect this time only in so far as they compete for caches and cores.
package cputime
