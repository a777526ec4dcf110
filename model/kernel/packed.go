package kernel

// Plain Go computes with several whole numbers at a time: they are packed in one integer of
// 64 bits, Σ xᵢ·2^(i·bits). Sums of such integers are packed sums, and their products with a
// number packed products, exactly, though a lane may be negative and borrows from the next
// then. Lanes may overflow on the way, as long as those of the result fit.

// pack packs each n numbers of every row, the last of which may have fewer.
func pack[T int8 | int16](rows []T, width, n int) (packed []int64) {
	for ; len(rows) > 0; rows = rows[width:] {
		row := rows[:width]
		for i := 0; i < width; i += n {
			var sum int64
			for lane, x := range row[i:min(i+n, width)] {
				sum += int64(x) << (64 / n * lane)
			}
			packed = append(packed, sum)
		}
	}
	return packed
}

// addPacked adds a packed row to sums.
func addPacked(sums, row []int64) {
	row = row[:len(sums)]
	for i, x := range row {
		sums[i] += x
	}
}

// addPackedProducts adds the products of a packed row and v to sums.
func addPackedProducts(sums, row []int64, v int64) {
	row = row[:len(sums)]
	for i, x := range row {
		sums[i] += v * x
	}
}

// pairLane returns a lane of two.
func pairLane(sum int64, i int) int32 {
	low := int32(sum)
	if i == 0 {
		return low
	}
	return int32((sum - int64(low)) >> 32)
}
