package selfplay

import (
	"cmp"
	"fmt"

	"dojo.example/internal/bounded"
)

// Config holds the settings for the self-play games of a generation.
type Config struct {
	// Games is the number of games per generation, a multiple of ShardGames.
	Games int `yaml:"games"`

	// ShardGames is the number of games per shard (a file of finished games). If a process is
	// killed, the games of its unfinished shards are lost.
	ShardGames int `yaml:"shard_games"`

	// Lanes is the number of games that a worker plays at the same time. Their positions are
	// evaluated together, so Lanes is also the batch size. It does not affect the games.
	Lanes int `yaml:"lanes"`

	// The first TemperaturePlies actions of a game are picked at random. An action's probability is
	// proportional to p^(1/Temperature), where p is its probability in the improved policy that the
	// search computes. AlphaZero used the temperature 1 for the first 30 actions in chess.
	Temperature      float32 `yaml:"temperature"`
	TemperaturePlies int     `yaml:"temperature_plies"`

	// FinalTemperature is the temperature for all later actions. With 0, the best action is played.
	// AlphaZero used 0.
	FinalTemperature float32 `yaml:"final_temperature"`
}

// Default returns settings suitable for games of a few dozen plies.
func Default() Config {
	return Config{Games: 512, ShardGames: 32, Lanes: 16, Temperature: 1, TemperaturePlies: 10, FinalTemperature: 0.25}
}

// Validate returns an error for the first invalid value. The error names the value's key.
func (c Config) Validate() error {
	switch {
	case c.ShardGames < 1:
		return fmt.Errorf("shard_games: %d is less than 1", c.ShardGames)
	case c.Games < 1 || c.Games%c.ShardGames != 0 || c.Games > gamesPerGeneration:
		return fmt.Errorf("games: %d is not a multiple of shard_games (%d) between 1 and %d", c.Games, c.ShardGames, gamesPerGeneration)
	}
	return cmp.Or(
		bounded.Between("lanes", c.Lanes, 1, 4096),
		bounded.Between("temperature", c.Temperature, 0, 100),
		bounded.Between("temperature_plies", c.TemperaturePlies, 0, 1_000_000),
		bounded.Between("final_temperature", c.FinalTemperature, 0, 100),
	)
}

// Shards returns the number of shards in a generation.
func (c Config) Shards() int { return c.Games / c.ShardGames }
