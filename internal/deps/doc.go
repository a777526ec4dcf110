// Package deps tests that each package imports only what it is allowed to. The rules are tables in
// its tests. If a test fails, change the code to fit the tables, not the tables to fit the code.
package deps
