package selfplay

import (
	"cmp"
	"fmt"

	"dojo.example/internal/bounded"
)

// Config holds the settings for the games of a generation.
type Config struct {
	// Games is the number of games in a generation. It must be a multiple of ShardGames.
	Games int `yaml:"games"`

	// ShardGames is the number of games in a shard (one file of finished games). If a process is
	// killed, the games of its unfinished shards are lost.
	ShardGames int `yaml:"shard_games"`

	// Lanes is the number of games that a worker plays at the same time. Their positions are
	// evaluated together, so it is also the size of a batch. It does not change the games.
	Lanes int `yaml:"lanes"`

	// Temperature applies to the first TemperaturePlies actions of a game. Each of these actions is
	// drawn at random. Its probability is proportional to p^(1/Temperature), where p is the share
	// of the action in the improved policy, which the search computes. AlphaZero used the
	// temperature 1 for the first 30 actions in chess.
	Temperature      float32 `yaml:"temperature"`
	TemperaturePlies int     `yaml:"temperature_plies"`

	// FinalTemperature is the temperature for all later actions. With 0, the best action is played.
	// AlphaZero used 0.
	FinalTemperature float32 `yaml:"final_temperature"`
}

// Default returns settings that suit a game of a few dozen plies.
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
