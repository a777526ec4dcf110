package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"dojo/arena"
	"dojo/data"
	"dojo/internal/atomicfile"
	"dojo/internal/tfevents"
	"dojo/model/graph"
	"dojo/selfplay"
)

// Metrics is what a generation did: its commit record, and a line of
// metrics.jsonl. Rates and seconds are of the process that finished the
// stage; all else follows from the seed.
type Metrics struct {
	Generation int       `json:"generation"`
	Player     string    `json:"player"` // the model that played
	Best       string    `json:"best"`   // the model that plays next
	Time       time.Time `json:"time"`   // of the commit

	Games         int     `json:"games"`
	Positions     int     `json:"positions"`
	GameLength    float64 `json:"game_length"`    // mean, in actions
	FirstWins     float64 `json:"first_wins"`     // share of games
	Draws         float64 `json:"draws"`          // share of games
	PolicyEntropy float64 `json:"policy_entropy"` // of the improved policy, nats
	ValueError    float64 `json:"value_error"`    // mean |root value − outcome|
	Distinct      float64 `json:"distinct"`       // share of positions seen once

	SelfplaySeconds      float64 `json:"selfplay_seconds"`
	GamesPerSecond       float64 `json:"games_per_second"`
	PositionsPerSecond   float64 `json:"positions_per_second"`
	SimulationsPerSecond float64 `json:"simulations_per_second"`
	EvaluationsPerSecond float64 `json:"evaluations_per_second"`

	Fit  Fit        `json:"fit"`
	Gate GateResult `json:"gate"`
}

// Fit is what training on a window did; losses are means over its steps.
type Fit struct {
	Steps             int     `json:"steps"`
	WindowGenerations int     `json:"window_generations"`
	WindowPositions   int     `json:"window_positions"`
	LearningRate      float64 `json:"learning_rate"` // at the last step
	PolicyLoss        float64 `json:"policy_loss"`   // cross entropy, nats
	ValueLoss         float64 `json:"value_loss"`    // cross entropy, nats
	MarginLoss        float64 `json:"margin_loss"`   // Huber, in units of network.margin
	Entropy           float64 `json:"entropy"`       // of the network's policy, nats
	ValueError        float64 `json:"value_error"`   // of the network against its target
	GradNorm          float64 `json:"grad_norm"`
	SamplesPerSecond  float64 `json:"samples_per_second"`
	Seconds           float64 `json:"seconds"`
}

// GateResult is the match of the candidate against the best model so far,
// from the candidate's side.
type GateResult struct {
	Wins     int     `json:"wins"`
	Losses   int     `json:"losses"`
	Draws    int     `json:"draws"`
	Elo      float64 `json:"elo"`
	EloLow   float64 `json:"elo_low"`
	EloHigh  float64 `json:"elo_high"`
	Promoted bool    `json:"promoted"`
	Seconds  float64 `json:"seconds"`
}

func newGateResult(x arena.Result, promoted bool) GateResult {
	g := GateResult{Wins: x.Wins, Losses: x.Losses, Draws: x.Draws, Promoted: promoted}
	g.Elo, g.EloLow, g.EloHigh = x.Elo()
	return g
}

// rates fills in the speed of self-play.
func (m *Metrics) rates(t selfplay.Totals) {
	if s := m.SelfplaySeconds; s > 0 {
		m.GamesPerSecond = float64(t.Games) / s
		m.PositionsPerSecond = float64(t.Positions) / s
		m.SimulationsPerSecond = float64(t.Simulations) / s
		m.EvaluationsPerSecond = float64(t.Evaluations) / s
	}
}

// games fills in what the games were like.
func (m *Metrics) games(s data.Summary) {
	m.Games, m.Positions, m.GameLength = s.Games, s.Positions, s.MeanLength
	m.FirstWins, m.Draws = s.FirstWins, s.Draws
	m.PolicyEntropy, m.ValueError, m.Distinct = s.PolicyEntropy, s.ValueError, s.Distinct
}

// add takes the losses of one of n steps.
func (f *Fit) add(l graph.Losses, n int) {
	f.PolicyLoss += float64(l.Heads["policy"]) / float64(n)
	f.ValueLoss += float64(l.Heads["value"]) / float64(n)
	f.MarginLoss += float64(l.Heads["margin"]) / float64(n)
	f.Entropy += float64(l.Entropy) / float64(n)
	f.ValueError += float64(l.ValueError) / float64(n)
	f.GradNorm += float64(l.GradNorm) / float64(n)
}

// commit makes the generation count and tells of it.
func (r *Run) commit(m Metrics) error {
	m.Time = time.Now().UTC().Truncate(time.Second)
	record, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteBytes(r.path("generations", modelName(m.Generation)+".json"), record); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	r.done = append(r.done, m)
	if err := r.publish(); err != nil {
		return err
	}
	r.opt.Report.Generation(m)
	return nil
}

// publish rewrites what is made from the commit records.
func (r *Run) publish() error {
	if err := atomicfile.WriteBytes(r.path("best"), []byte(r.Best())); err != nil {
		return err
	}
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	var points []tfevents.Point
	for _, m := range r.done {
		if err := encoder.Encode(m); err != nil {
			return err
		}
		points = append(points, m.points()...)
	}
	if err := atomicfile.WriteBytes(r.path("metrics.jsonl"), lines.Bytes()); err != nil {
		return err
	}
	return atomicfile.WriteFile(r.path("events.out.tfevents.dojo"), func(w io.Writer) error {
		return tfevents.Write(w, points)
	})
}

// points are the scalars of a generation for TensorBoard.
func (m Metrics) points() []tfevents.Point {
	var points []tfevents.Point
	add := func(tag string, v float64) {
		points = append(points, tfevents.Point{
			Step: int64(m.Generation), Wall: float64(m.Time.Unix()), Tag: tag, Value: float32(v),
		})
	}
	add("loss/policy", m.Fit.PolicyLoss)
	add("loss/value", m.Fit.ValueLoss)
	add("loss/grad_norm", m.Fit.GradNorm)
	add("loss/learning_rate", m.Fit.LearningRate)
	add("policy/target_entropy", m.PolicyEntropy)
	add("policy/network_entropy", m.Fit.Entropy)
	add("value/search_error", m.ValueError)
	add("value/network_error", m.Fit.ValueError)
	add("games/length", m.GameLength)
	add("games/first_wins", m.FirstWins)
	add("games/draws", m.Draws)
	add("games/distinct_positions", m.Distinct)
	add("speed/games", m.GamesPerSecond)
	add("speed/positions", m.PositionsPerSecond)
	add("speed/simulations", m.SimulationsPerSecond)
	add("speed/evaluations", m.EvaluationsPerSecond)
	add("speed/training_samples", m.Fit.SamplesPerSecond)
	add("gate/elo", m.Gate.Elo)
	add("gate/games", float64(m.Gate.Wins+m.Gate.Losses+m.Gate.Draws))
	return points
}

// ReadMetrics reads the committed generations of the run in dir, in order.
func ReadMetrics(dir string) ([]Metrics, error) {
	var all []Metrics
	for g := 0; ; g++ {
		path := filepath.Join(dir, "generations", modelName(g)+".json")
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var m Metrics
		if err := json.Unmarshal(text, &m); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if m.Generation != g {
			return nil, fmt.Errorf("%s is the record of generation %d", path, m.Generation)
		}
		all = append(all, m)
	}
}
