package rundir

import "strings"

// KeyLetters is the length of the last part of a worker's name. This part identifies the worker's
// key.
const KeyLetters = 12

// KeyOf returns the part of a worker's name that identifies the worker's key: the text after the
// last hyphen. Several names on one machine may have the same key.
func KeyOf(worker string) string { return worker[strings.LastIndexByte(worker, '-')+1:] }
