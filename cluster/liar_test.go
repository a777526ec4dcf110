package cluster_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"testing"

	"dojo.example/cluster"
)

// liarJoins makes the test binary a worker that joins at this HOST:PORT and lies after
// as many true shards as liarTruths says, for trials with processes:
//
//	go test -c ./cluster && DOJO_TEST_LIAR=127.0.0.1:4222 DOJO_TEST_LIAR_TRUTHS=3 ./cluster.test
const (
	liarJoins  = "DOJO_TEST_LIAR"
	liarTruths = "DOJO_TEST_LIAR_TRUTHS"
	liarToken  = "DOJO_TEST_LIAR_TOKEN"
)

func TestMain(m *testing.M) {
	address := os.Getenv(liarJoins)
	if address == "" {
		os.Exit(m.Run())
	}
	truths, _ := strconv.Atoi(os.Getenv(liarTruths)) // none, if it is not given
	err := cluster.Lie(context.Background(), cluster.WorkerOptions{
		Join: address, Token: os.Getenv(liarToken), Name: fmt.Sprint("liar-", os.Getpid()), Workers: 1,
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}, newLiar(truths).twist)
	fmt.Fprintln(os.Stderr, err)
}
