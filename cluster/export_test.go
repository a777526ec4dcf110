package cluster

// ShardsSubject is where a worker sends its shards.
func ShardsSubject(run, worker string) string { return names{run}.shardsSubject(worker) }
