package cli

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"

	"dojo.example/data"
)

// falsify copies what a worker says to its trainer, in NATS' protocol, and turns the
// outcomes of all games round in the shards that it sends.
func falsify(to io.Writer, from io.Reader) error {
	for in := bufio.NewReader(from); ; {
		line, err := in.ReadString('\n')
		if err != nil {
			return err
		}
		words := strings.Fields(line)
		last := len(words) - 1
		var body []byte
		if last > 0 && (words[0] == "PUB" || words[0] == "HPUB") {
			size, err := strconv.Atoi(words[last])
			if err != nil {
				return err
			}
			body = make([]byte, size+len("\r\n"))
			if _, err := io.ReadFull(in, body); err != nil {
				return err
			}
			if words[0] == "HPUB" && strings.Contains(words[1], ".results.") {
				header, err := strconv.Atoi(words[last-1])
				if err != nil {
					return err
				}
				shard, err := turnRound(body[header:size])
				if err != nil {
					return err
				}
				body = slices.Concat(body[:header], shard, []byte("\r\n"))
				words[last] = strconv.Itoa(header + len(shard))
				line = strings.Join(words, " ") + "\r\n"
			}
		}
		if _, err := to.Write(append([]byte(line), body...)); err != nil {
			return err
		}
	}
}

// turnRound turns the values of the search in a shard round; other texts stay as they are.
func turnRound(content []byte) ([]byte, error) {
	h, rows, err := data.DecodeShard("a result", content)
	if err != nil {
		return content, nil // a pair of games
	}
	for i := range rows {
		rows[i].Value = -rows[i].Value
	}
	return data.EncodeShard(h, rows)
}
