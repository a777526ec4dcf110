package mcts

// Taken returns the bytes of the capacities of a search's tree and of the memory for its copy.
func Taken(s Search) int64 { return s.(interface{ taken() int64 }).taken() }
