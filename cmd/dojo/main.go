// Command dojo learns board games by self-play, without any human games, and plays them.
package main

import "dojo.example"

func main() { dojo.Main() }
