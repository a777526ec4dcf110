package train

import (
	"time"

	"dojo.example/arena"
	"dojo.example/data"
	"dojo.example/model/graph"
	"dojo.example/selfplay"
)

// Formulas is the version of the figures whose meaning nothing else in a record shows: the formulas
// for Elo and for the interval of the margin, the way the ladder plays, and the measurements of
// New, Deep and Late. A change of any of them increases Formulas. Otherwise the verification would
// reject correct records of an older program.
const Formulas = 1

// Metrics describes what a generation did. It is the generation's record, whose file commits the
// generation, and also a line of metrics.jsonl. Seconds and speeds describe the process that
// finished the stage. The speeds of self-play are omitted if that process had no game left to play.
// If workers of a cluster played games, they state the numbers of simulations and evaluations
// themselves, limited to what such games can take. The commit adds Time, Program, Config and Seal.
// Everything else follows from the configuration and the seed.
//
// Package verify computes the fields again and compares them. It skips fields with the tag
// verify:"no": seconds and speeds, sizes in memory, and what the commit adds. It compares Ladder
// match by match. It compares a field with the tag verify:"formulas" only if the record has the
// current version of Formulas.
type Metrics struct {
	Seal       string    `json:"seal,omitempty" verify:"no"` // added by rundir.Folder.Commit; "" in records of older programs
	Generation int       `json:"generation"`
	Player     string    `json:"player"`                         // the model that played the games
	Best       string    `json:"best"`                           // the best model after the gate
	Time       time.Time `json:"time" verify:"no"`               // time of the commit
	Program    string    `json:"program,omitempty" verify:"no"`  // version of the program that committed the generation
	Config     string    `json:"config,omitempty" verify:"no"`   // SHA-256 of run.yaml at the commit; "" if there was no run.yaml
	Files      string    `json:"files,omitempty"`                // SHA-256 of rundir.Folder.Listing
	Formulas   int       `json:"formulas,omitempty" verify:"no"` // value of the constant Formulas; 0 in records of older programs

	Games         int     `json:"games"`
	Positions     int     `json:"positions"`
	GameLength    float64 `json:"game_length" event:"games/length"`                              // mean number of actions in a game
	FirstWins     float64 `json:"first_wins" event:"games/first_wins"`                           // share of games
	Draws         float64 `json:"draws" event:"games/draws"`                                     // share of games
	PolicyEntropy float64 `json:"policy_entropy" event:"policy/target_entropy"`                  // mean entropy of the improved policy, in nats
	ValueError    float64 `json:"value_error" event:"value/search_error"`                        // mean |root value − outcome|
	Distinct      float64 `json:"distinct" event:"games/distinct_positions"`                     // number of distinct positions divided by number of positions
	Late          float64 `json:"late,omitempty" event:"games/late_positions" verify:"formulas"` // share of positions late in the game; see engine.LateReporter

	SelfplaySeconds      float64 `json:"selfplay_seconds,omitzero" verify:"no"`
	GamesPerSecond       float64 `json:"games_per_second,omitzero" event:"speed/games" verify:"no"`
	PositionsPerSecond   float64 `json:"positions_per_second,omitzero" event:"speed/positions" verify:"no"`
	SimulationsPerSecond float64 `json:"simulations_per_second,omitzero" event:"speed/simulations" verify:"no"`
	EvaluationsPerSecond float64 `json:"evaluations_per_second,omitzero" event:"speed/evaluations" verify:"no"`

	Fit    FitStats     `json:"fit"`
	Gate   GateResult   `json:"gate"`
	Ladder LadderResult `json:"ladder,omitzero" verify:"no"`
}

// FitStats describes what the stage fit did: training on the window of a generation. Losses, errors
// and norms are means over its steps.
type FitStats struct {
	Steps             int     `json:"steps"`
	WindowGenerations int     `json:"window_generations"`
	WindowPositions   int     `json:"window_positions"`
	WindowBytes       int64   `json:"window_bytes,omitempty" verify:"no"`       // memory of the window's samples
	LearningRate      float64 `json:"learning_rate" event:"loss/learning_rate"` // learning rate at the last step
	PolicyLoss        float64 `json:"policy_loss" event:"loss/policy"`          // cross entropy, nats
	ValueLoss         float64 `json:"value_loss" event:"loss/value"`            // cross entropy, nats
	MarginLoss        float64 `json:"margin_loss"`                              // Huber loss, in units of network.margin
	Entropy           float64 `json:"entropy" event:"policy/network_entropy"`   // entropy of the network's policy, in nats
	ValueError        float64 `json:"value_error" event:"value/network_error"`  // |value of the network − target|
	GradNorm          float64 `json:"grad_norm" event:"loss/grad_norm"`
	SamplesPerSecond  float64 `json:"samples_per_second" event:"speed/training_samples" verify:"no"`
	Seconds           float64 `json:"seconds" verify:"no"`

	New  NewStats  `json:"new,omitzero" verify:"formulas"`  // validation on the new games, before training on them
	Deep DeepStats `json:"deep,omitzero" verify:"formulas"` // quality of the search that played the new games
}

// GateResult describes what the stage gate did: the candidate's match against the best model, from
// the candidate's side.
type GateResult struct {
	Wins     int     `json:"wins"`
	Losses   int     `json:"losses"`
	Draws    int     `json:"draws"`
	Elo      float64 `json:"elo" event:"gate/elo" verify:"formulas"` // estimate of how much stronger the candidate is than the best model
	EloLow   float64 `json:"elo_low" verify:"formulas"`
	EloHigh  float64 `json:"elo_high" verify:"formulas"` // EloLow to EloHigh is the 95 % interval
	Promoted bool    `json:"promoted"`

	// Margin is the candidate's mean lead in points at the end of a game. It is omitted if the game
	// has no scores.
	Margin arena.Mean `json:"margin,omitzero" verify:"formulas"`

	Seconds float64 `json:"seconds" verify:"no"`
}

// setSpeeds sets the speeds of self-play, if any game was played.
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

// setGames sets the statistics of the games.
func (m *Metrics) setGames(s data.Summary) {
	m.Games, m.Positions, m.GameLength = s.Games, s.Positions, s.MeanLength
	m.FirstWins, m.Draws = s.FirstWins, s.Draws
	m.PolicyEntropy, m.ValueError, m.Distinct = s.PolicyEntropy, s.ValueError, s.Distinct
}

// add adds the losses of one of n steps to the means.
func (f *FitStats) add(l graph.Losses, n int) {
	f.PolicyLoss += float64(l.Heads["policy"]) / float64(n)
	f.ValueLoss += float64(l.Heads["value"]) / float64(n)
	f.MarginLoss += float64(l.Heads["margin"]) / float64(n)
	f.Entropy += float64(l.Entropy) / float64(n)
	f.ValueError += float64(l.ValueError) / float64(n)
	f.GradNorm += float64(l.GradNorm) / float64(n)
}
