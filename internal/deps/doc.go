// Package deps tests that packages import only what they may. The tables in its tests are the
// policy. If a test fails, change the code to fit the tables, not the tables to fit the code.
package deps
