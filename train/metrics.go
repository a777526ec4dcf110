package train

import (
	"time"

	"dojo.example/arena"
	"dojo.example/data"
	"dojo.example/model/graph"
	"dojo.example/selfplay"
)

// Formulas is the version of the figures in a record that follow from nothing else that is
// compared: the formulas of Elo and of the margin's interval, how the ladder plays, the
// measurements of New, Deep and Late. A change of any of them increases it, so that nobody takes
// an honest record of an older program for a false one.
const Formulas = 1

// Metrics says what a generation did. It is the generation's record, whose file
// commits it, and a line of metrics.jsonl. Seconds and speeds are those of the
// process that finished the stage; those of self-play are left out if it had no game
// left to play. Of games that workers of a cluster played, simulations and evaluations are what
// the workers state, and at most what such games can take. The rest follows from the configuration
// and the seed, but for what the commit adds: Time, Program, Config and Seal.
//
// Package verify compares each field with what it computes again, unless the tag "verify" is
// "no": seconds and speeds, sizes in memory, and what the commit itself adds. Ladder it compares
// match by match. With the tag "formulas" a field is compared only if Formulas is the present one.
type Metrics struct {
	Seal       string    `json:"seal,omitempty" verify:"no"` // which rundir.Folder.Commit puts there; "" in records of older programs
	Generation int       `json:"generation"`
	Player     string    `json:"player"`                         // the model that played
	Best       string    `json:"best"`                           // the best model so far
	Time       time.Time `json:"time" verify:"no"`               // of the commit
	Program    string    `json:"program,omitempty" verify:"no"`  // the version of the program that committed it
	Config     string    `json:"config,omitempty" verify:"no"`   // SHA-256 of run.yaml at the commit; "" if there was none
	Files      string    `json:"files,omitempty"`                // SHA-256 of rundir.Folder.Listing
	Formulas   int       `json:"formulas,omitempty" verify:"no"` // see the constant Formulas; 0 in records of older programs

	Games         int     `json:"games"`
	Positions     int     `json:"positions"`
	GameLength    float64 `json:"game_length" event:"games/length"`                              // mean, in actions
	FirstWins     float64 `json:"first_wins" event:"games/first_wins"`                           // share of games
	Draws         float64 `json:"draws" event:"games/draws"`                                     // share of games
	PolicyEntropy float64 `json:"policy_entropy" event:"policy/target_entropy"`                  // of the improved policy, nats
	ValueError    float64 `json:"value_error" event:"value/search_error"`                        // mean |root value − outcome|
	Distinct      float64 `json:"distinct" event:"games/distinct_positions"`                     // distinct positions over positions
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

// FitStats says what the stage fit did: training on the window of a generation.
// Losses, errors and norms are means over its steps.
type FitStats struct {
	Steps             int     `json:"steps"`
	WindowGenerations int     `json:"window_generations"`
	WindowPositions   int     `json:"window_positions"`
	WindowBytes       int64   `json:"window_bytes,omitempty" verify:"no"`       // of samples that are kept as lists
	LearningRate      float64 `json:"learning_rate" event:"loss/learning_rate"` // at the last step
	PolicyLoss        float64 `json:"policy_loss" event:"loss/policy"`          // cross entropy, nats
	ValueLoss         float64 `json:"value_loss" event:"loss/value"`            // cross entropy, nats
	MarginLoss        float64 `json:"margin_loss"`                              // Huber, in units of network.margin
	Entropy           float64 `json:"entropy" event:"policy/network_entropy"`   // of the network's policy, nats
	ValueError        float64 `json:"value_error" event:"value/network_error"`  // |value of the network − target|
	GradNorm          float64 `json:"grad_norm" event:"loss/grad_norm"`
	SamplesPerSecond  float64 `json:"samples_per_second" event:"speed/training_samples" verify:"no"`
	Seconds           float64 `json:"seconds" verify:"no"`

	New  NewStats  `json:"new,omitzero" verify:"formulas"`  // validation on the new games, before training on them
	Deep DeepStats `json:"deep,omitzero" verify:"formulas"` // quality of the search that played them
}

// GateResult says what the stage gate did: the match of the candidate against the
// best model, from the candidate's side.
type GateResult struct {
	Wins     int     `json:"wins"`
	Losses   int     `json:"losses"`
	Draws    int     `json:"draws"`
	Elo      float64 `json:"elo" event:"gate/elo" verify:"formulas"` // estimate of how much stronger the candidate is than the best model
	EloLow   float64 `json:"elo_low" verify:"formulas"`
	EloHigh  float64 `json:"elo_high" verify:"formulas"` // EloLow to EloHigh is the 95 % interval
	Promoted bool    `json:"promoted"`

	// Margin is the candidate's mean lead in points at the end of a game; it is left out in
	// a game without scores.
	Margin arena.Mean `json:"margin,omitzero" verify:"formulas"`

	Seconds float64 `json:"seconds" verify:"no"`
}

// setSpeeds fills in the speeds of self-play, if any game was played.
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

// setGames fills in the statistics of the games.
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
