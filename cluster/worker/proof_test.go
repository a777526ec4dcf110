package worker

import (
	"context"
	"math"
	"testing"

	"dojo.example/configs"
	"dojo.example/model"
)

// lastBit returns an evaluator that is like e, except for the last bit of one logit.
func lastBit(e model.Evaluator) model.Evaluator {
	return model.Wrap(e, func(ctx context.Context, b *model.Batch) error {
		err := e.Evaluate(ctx, b)
		b.Logits[0] = math.Nextafter32(b.Logits[0], 1)
		return err
	})
}

// If a program computes a single output with a different last bit, its proof differs too.
func TestProofShowsTheLastBit(t *testing.T) {
	c, err := configs.Load("tictactoe", "network.channels=16", "network.blocks=1", "mcts.simulations=16")
	if err != nil {
		t.Fatal(err)
	}
	text, err := configs.Frozen{Name: "tiny", Program: "test", Config: c}.Text()
	if err != nil {
		t.Fatal(err)
	}
	want, err := Proof(t.Context(), string(text))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Proof(t.Context(), string(text))
	if err != nil || again != want {
		t.Errorf("the proof is %s, and then %s, %v", want, again, err)
	}
	if other, err := prove(t.Context(), string(text), lastBit); err != nil || other == want {
		t.Errorf("with another bit in an output the proof is %s too, %v", other, err)
	}
}
