package main

import (
	"errors"
	"strconv"
	"strings"
)

// A percentage is a share from 0 to 1 as a flag: "2%", "0.5%".
type percentage struct {
	share float64
	given bool // by the flag; false for its default
}

// String is the share as it is typed; see pflag.Value.
func (p *percentage) String() string {
	return strconv.FormatFloat(p.share*100, 'g', -1, 64) + "%"
}

// Set reads a share; see pflag.Value.
func (p *percentage) Set(text string) error {
	number, ok := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(x >= 0 && x <= 100) {
		return errors.New("a share is written like 2% or 0.5%, and is at most 100%")
	}
	*p = percentage{share: x / 100, given: true}
	return nil
}

// Type is what help texts call the value; see pflag.Value.
func (p *percentage) Type() string { return "percent" }
