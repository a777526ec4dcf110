// Package deps states who may import whom. The tables in its tests are policy:
// change the code to fit them, not the other way round.
package deps
