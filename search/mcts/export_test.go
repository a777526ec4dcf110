package mcts

// Taken returns the number of bytes that a search's tree occupies, including the spare memory to
// which the tree is copied.
func Taken(s Search) int64 { return s.(interface{ taken() int64 }).taken() }
