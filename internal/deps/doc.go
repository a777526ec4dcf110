// Package deps tests that packages import only what they may. The tables in its tests
// are the policy: change the code to fit them, not the other way round.
package deps
