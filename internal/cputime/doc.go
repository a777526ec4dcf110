// Package cputime tells how much CPU time this process has used, on all cores
// together. Unlike the time of day it does not depend on what else the machine does,
// but for what processes take from each other through shared caches and cores.
package cputime
