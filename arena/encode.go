package arena

import (
	"encoding/json"

	"dojo/internal/bounded"
)

// EncodePair returns the games of a pair, without forfeits, as text. The same games give the
// same bytes.
func EncodePair(games []Record) []byte {
	text, err := json.Marshal(games)
	if err != nil {
		panic(err) // all encoded fields are plain
	}
	return text
}

// DecodePair is the inverse of EncodePair.
func DecodePair(pair int, content []byte) (games []Record, err error) {
	err = bounded.Unmarshal(content, &games)
	for i := range games {
		games[i].Pair, games[i].AFirst = pair, i == 0
	}
	return games, err
}
