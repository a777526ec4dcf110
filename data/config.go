package data

import "fmt"

// Config says how long a run keeps its samples.
type Config struct {
	// Keep is the number of newest generations whose samples stay on disk; 0 keeps
	// all. Older ones are removed when a generation is committed.
	Keep int `yaml:"keep"`
}

// Validate reports the first impossible value, naming its key. The trainer reads the
// samples of up to window generations.
func (c Config) Validate(window int) error {
	if c.Keep != 0 && c.Keep < window {
		return fmt.Errorf("keep: %d is less than train.window_max (%d), whose samples the trainer reads; 0 keeps all", c.Keep, window)
	}
	return nil
}
