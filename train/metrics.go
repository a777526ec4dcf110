package train

import (
	"time"

	"dojo.example/arena"
	"dojo.example/data"
	"dojo.example/model/graph"
	"dojo.example/selfplay"
)

// Formulas is a version number for figures in a record whose meaning may change without a trace in
// the configuration: the formulas for Elo and for the interval of the margin, how the ladder plays,
// and how New, Deep and Late are measured. A change to any of these must increase Formulas.
// Otherwise the verification would reject correct records that an older program wrote.
const Formulas = 1

// Metrics is the record of a generation. Writing its file commits the generation. It is also a line
// of metrics.jsonl. Seconds and speeds belong to the process that finished the stage. If no game
// was left for this process to play, the speeds of self-play are left out. If workers of a cluster
// played games, the numbers of simulations and evaluations are the workers' own claims, limited to
// what is possible for such games. The commit adds Time, Program, Config and Seal. All other fields
// depend only on the configuration and the seed.
//
// Package verify computes the fields again and compares them. It skips fields with the tag
// verify:"no": seconds and speeds, sizes in memory, and the fields that the commit adds. It
// compares Ladder match by match. It compares a field with the tag verify:"formulas" only if the
// record was made with the current version of Formulas.
type Metrics struct {
	// Added by rundir.Folder.Commit; "" in records that older programs wrote.
	Seal       string `json:"seal,omitempty" verify:"no"`
	Generation int    `json:"generation"`
	// Name of the model that played the games.
	Player string `json:"player"`
	// Name of the best model after the gate.
	Best string    `json:"best"`
	Time time.Time `json:"time" verify:"no"` // time of the commit
	// Version of the program that committed the generation.
	Program string `json:"program,omitempty" verify:"no"`
	// SHA-256 of run.yaml at the time of the commit; "" if there was no run.yaml.
	Config string `json:"config,omitempty" verify:"no"`
	Files  string `json:"files,omitempty"` // SHA-256 of rundir.Folder.Listing
	// Value of the constant Formulas; 0 in records that older programs wrote.
	Formulas int `json:"formulas,omitempty" verify:"no"`

	Games      int     `json:"games"`
	Positions  int     `json:"positions"`
	GameLength float64 `json:"game_length" event:"games/length"` // mean number of actions in a game
	// Share of the games that First won.
	FirstWins float64 `json:"first_wins" event:"games/first_wins"`
	// Share of the games that were drawn.
	Draws float64 `json:"draws" event:"games/draws"`
	// Mean entropy of the search's improved policy, in nats.
	PolicyEntropy float64 `json:"policy_entropy" event:"policy/target_entropy"`
	// Mean of |value at the search's root − outcome|.
	ValueError float64 `json:"value_error" event:"value/search_error"`
	// Number of distinct positions divided by the number of positions.
	Distinct float64 `json:"distinct" event:"games/distinct_positions"`
	// Share of the positions that are late in the game; see engine.LateReporter.
	Late float64 `json:"late,omitempty" event:"games/late_positions" verify:"formulas"`

	SelfplaySeconds      float64 `json:"selfplay_seconds,omitzero" verify:"no"`
	GamesPerSecond       float64 `json:"games_per_second,omitzero" event:"speed/games" verify:"no"`
	PositionsPerSecond   float64 `json:"positions_per_second,omitzero" event:"speed/positions" verify:"no"`
	SimulationsPerSecond float64 `json:"simulations_per_second,omitzero" event:"speed/simulations" verify:"no"`
	EvaluationsPerSecond float64 `json:"evaluations_per_second,omitzero" event:"speed/evaluations" verify:"no"`

	Fit    FitStats     `json:"fit"`
	Gate   GateResult   `json:"gate"`
	Ladder LadderResult `json:"ladder,omitzero" verify:"no"`
}

// FitStats describes the stage fit, which trains on the window of a generation. Losses, errors and
// norms are means over the stage's optimiser steps.
type FitStats struct {
	Steps             int `json:"steps"`
	WindowGenerations int `json:"window_generations"`
	WindowPositions   int `json:"window_positions"`
	// Bytes of memory for the window's samples.
	WindowBytes int64 `json:"window_bytes,omitempty" verify:"no"`
	// Learning rate of the last step.
	LearningRate float64 `json:"learning_rate" event:"loss/learning_rate"`
	// Cross entropy, in nats.
	PolicyLoss float64 `json:"policy_loss" event:"loss/policy"`
	// Cross entropy, in nats.
	ValueLoss float64 `json:"value_loss" event:"loss/value"`
	// Huber loss, in units of network.margin points.
	MarginLoss float64 `json:"margin_loss"`
	// Entropy of the network's policy, in nats.
	Entropy float64 `json:"entropy" event:"policy/network_entropy"`
	// Mean of |value of the network − target|.
	ValueError       float64 `json:"value_error" event:"value/network_error"`
	GradNorm         float64 `json:"grad_norm" event:"loss/grad_norm"`
	SamplesPerSecond float64 `json:"samples_per_second" event:"speed/training_samples" verify:"no"`
	Seconds          float64 `json:"seconds" verify:"no"`

	// Losses on the new games, measured before training on them.
	New NewStats `json:"new,omitzero" verify:"formulas"`
	// Quality of the searches that played the new games.
	Deep DeepStats `json:"deep,omitzero" verify:"formulas"`
}

// GateResult describes the result of the stage gate: the match of the candidate against the best
// model, seen from the candidate's side.
type GateResult struct {
	Wins   int `json:"wins"`
	Losses int `json:"losses"`
	Draws  int `json:"draws"`
	// Estimated strength of the candidate relative to the best model.
	Elo    float64 `json:"elo" event:"gate/elo" verify:"formulas"`
	EloLow float64 `json:"elo_low" verify:"formulas"`
	// EloLow and EloHigh are the limits of the 95 % confidence interval of Elo.
	EloHigh  float64 `json:"elo_high" verify:"formulas"`
	Promoted bool    `json:"promoted"`

	// Margin is the candidate's mean lead in points at the end of a game. It is omitted if the game
	// has no scores.
	Margin arena.Mean `json:"margin,omitzero" verify:"formulas"`

	Seconds float64 `json:"seconds" verify:"no"`
}

// setSpeeds sets the speeds of self-play. If no game was played, it sets nothing.
func (m *Metrics) setSpeeds(t selfplay.Totals, took time.Duration) {
	s := took.Seconds()
	if t.Games == 0 || s == 0 {
		return
	}
	m.SelfplaySeconds = s
	m.GamesPerSecond = float64(t.Games) / s
	m.PositionsPerSecond = float64(t.Positions) / s
	m.SimulationsPerSecond = float64(t.Simulations) / s
	m.EvaluationsPerSecond = float64(t.Evaluations) / s
}

// setGames sets the statistics of the generation's games.
func (m *Metrics) setGames(s data.Summary) {
	m.Games, m.Positions, m.GameLength = s.Games, s.Positions, s.MeanLength
	m.FirstWins, m.Draws = s.FirstWins, s.Draws
	m.PolicyEntropy, m.ValueError, m.Distinct = s.PolicyEntropy, s.ValueError, s.Distinct
}

// add adds the losses of one step to the means over all n steps.
func (f *FitStats) add(l graph.Losses, n int) {
	f.PolicyLoss += float64(l.Heads["policy"]) / float64(n)
	f.ValueLoss += float64(l.Heads["value"]) / float64(n)
	f.MarginLoss += float64(l.Heads["margin"]) / float64(n)
	f.Entropy += float64(l.Entropy) / float64(n)
	f.ValueError += float64(l.ValueError) / float64(n)
	f.GradNorm += float64(l.GradNorm) / float64(n)
}
