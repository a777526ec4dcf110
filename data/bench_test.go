package data_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"dojo.example/data"
)

// played returns n rows that resemble rows of Onitama: the position changes a little with each ply,
// and the noisy policy gives a weight to 14 of 1252 actions.
func played(n int) (all []data.Row) {
	rng := rand.New(rand.NewPCG(1, 1))
	const length = 25
	for game := range n / length {
		board := []byte("bbBbb/...../...../...../wwWww")
		for ply := range length {
			i, j := rng.IntN(len(board)), rng.IntN(len(board))
			if board[i] != '/' && board[j] != '/' {
				board[i], board[j] = board[j], board[i]
			}
			r := data.Row{
				Run: "onitama-quick", Generation: 12, Game: int64(12_000_000 + game), Ply: int32(ply),
				Position: fmt.Sprintf("%s %d %d,%d %d,%d %d %d", board, ply%2, rng.IntN(16), rng.IntN(16),
					rng.IntN(16), rng.IntN(16), rng.IntN(16), ply),
				Mover: int32(ply % 2), Value: rng.Float32()*2 - 1, Outcome: int32(game%2*2 - 1),
				TurnsLeft: int32(length - ply), Model: "000011",
			}
			sum := float32(0)
			for a := range 14 {
				w := data.Weight{Action: int32(a*89 + rng.IntN(89)), Weight: rng.Float32() + 1e-3}
				r.Policy, sum = append(r.Policy, w), sum+w.Weight
			}
			for a := range r.Policy {
				r.Policy[a].Weight /= sum
			}
			r.Action = r.Policy[rng.IntN(14)].Action
			all = append(all, r)
		}
	}
	return all
}

func BenchmarkWriteShard(b *testing.B) {
	all := played(10_000)
	path := filepath.Join(b.TempDir(), "shard.parquet")
	for b.Loop() {
		if err := data.WriteShard(path, provenance, all); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/float64(len(all)), "bytes/row")
	b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkReadShard(b *testing.B) {
	for _, rows := range []int{75, 1_000, 10_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			all := played(rows)
			path := filepath.Join(b.TempDir(), "shard.parquet")
			if err := data.WriteShard(path, provenance, all); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, _, err := data.ReadShard(path, data.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(all)*b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
