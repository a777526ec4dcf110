package arena

// Spaced are count numbers from 0 to n-1, both included, as evenly as may be;
// all n, if there are not so many.
func Spaced(n, count int) []int {
	count = min(count, n)
	if count < 2 {
		return []int{0}[:count]
	}
	var chosen []int
	for i := range count {
		chosen = append(chosen, i*(n-1)/(count-1))
	}
	return chosen
}
