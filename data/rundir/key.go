package rundir

import "strings"

// KeyLetters is the number of letters at the end of a worker's name that identify its key.
const KeyLetters = 12

// KeyOf returns the part of a worker's name that identifies the worker's key: the text after the
// last hyphen. Several names on one machine may have the same key.
func KeyOf(worker string) string { return worker[strings.LastIndexByte(worker, '-')+1:] }
