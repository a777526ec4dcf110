package arena

// Spaced returns count numbers from 0 to n-1, both included, as evenly spaced as possible; if
// count is more than n it returns all n of them. Spaced(9, 3) is 0, 4, 8.
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
