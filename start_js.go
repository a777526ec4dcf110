package dojo

import "dojo.example/export/web/wasm"

func start() { wasm.Main() }
