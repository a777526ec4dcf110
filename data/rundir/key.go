package rundir

import "strings"

// KeyLetters is the number of letters in a worker's name that stand for its key.
const KeyLetters = 12

// KeyOf returns what stands for a worker's key at the end of its name, as the ledger has it. The
// same machine may work under several names.
func KeyOf(worker string) string { return worker[strings.LastIndexByte(worker, '-')+1:] }
