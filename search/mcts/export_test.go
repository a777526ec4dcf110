package mcts

// Taken returns the number of bytes that a search's tree takes, including the memory for its copy.
func Taken(s Search) int64 { return s.(interface{ taken() int64 }).taken() }
