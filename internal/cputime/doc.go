// Package cputime reports how much CPU time this process has used, summed over all cores. Other
// processes affect this time only because they share caches and cores.
package cputime
