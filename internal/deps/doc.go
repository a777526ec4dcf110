// Package deps tests that each package imports only the packages that it may import. The tables in
// its tests are the rules. If a test fails, change the code to fit the tables, not the tables to
// fit the code.
package deps
