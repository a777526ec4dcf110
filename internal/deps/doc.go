// Package deps states who may import whom. The table in its test is policy:
// change the code to fit it, not the other way round.
package deps
