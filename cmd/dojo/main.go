// Command dojo learns board games without human games, by playing against itself, and plays them.
package main

import "dojo.example"

func main() { dojo.Main() }
