package data

import "fmt"

// Config sets how long a run keeps its samples.
type Config struct {
	// Keep is the number of newest generations whose samples stay on disk. Committing a generation
	// removes the samples of older ones. 0 keeps all samples.
	Keep int `yaml:"keep"`
}

// Validate returns an error that names the key of the first invalid value. The trainer reads the
// samples of up to window generations, so Keep must be 0 or at least window.
func (c Config) Validate(window int) error {
	if c.Keep != 0 && c.Keep < window {
		return fmt.Errorf("keep: %d is less than train.window_max (%d), whose samples the trainer reads; 0 keeps all", c.Keep, window)
	}
	return nil
}
