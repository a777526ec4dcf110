//go:build !js

package dojo

import "dojo.example/cli"

func start() { cli.Main() }
