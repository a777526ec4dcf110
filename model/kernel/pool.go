package kernel

// Pool writes, for each of n boards, the mean of every channel over the cells
// and then the maximum of every channel: src is [n][cells][channels], dst
// [n][2·channels]. Sums run over the cells in order: the bits are the same on
// every processor.
func Pool(dst, src []float32, n, cells, channels int) {
	inverse := 1 / float32(cells)
	for b := range n {
		mean, top := dst[2*b*channels:][:channels], dst[(2*b+1)*channels:][:channels]
		board := src[b*cells*channels:][:cells*channels]
		copy(mean, board)
		copy(top, board)
		for cell := 1; cell < cells; cell++ {
			for c, v := range board[cell*channels:][:channels] {
				mean[c] += v
				top[c] = max(top[c], v)
			}
		}
		for c := range mean {
			mean[c] *= inverse
		}
	}
}

// PoolGrad writes the gradient of Pool's src, given src and the gradient of
// dst. A maximum's gradient goes to the first cell that has it.
func PoolGrad(dsrc, ddst, src []float32, n, cells, channels int) {
	inverse := 1 / float32(cells)
	for b := range n {
		mean, top := ddst[2*b*channels:][:channels], ddst[(2*b+1)*channels:][:channels]
		board, out := src[b*cells*channels:][:cells*channels], dsrc[b*cells*channels:][:cells*channels]
		for c := range channels {
			first := c
			for i := c; i < len(board); i += channels {
				out[i] = float32(mean[c] * inverse)
				if board[i] > board[first] {
					first = i
				}
			}
			out[first] += top[c]
		}
	}
}
