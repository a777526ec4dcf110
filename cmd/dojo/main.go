// Command dojo learns board games from nothing and plays them.
package main

import "dojo.example"

func main() { dojo.Main() }
