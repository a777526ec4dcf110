// Package box has the bots in the box: for each game a trained checkpoint,
// GAME.safetensors beside this file, that is embedded in the program and plays
// where the user names no model. GAME.proof.zip leads from its configuration to it; see
// verify.Proof. GAME.md tells how it was trained and how strong it is; put.sh puts another one
// in place. [Open] reads these and all other models by the names that users give them.
package box

import (
	"bytes"
	"embed"
	"encoding/binary"
	"fmt"
	"io/fs"
	"strings"

	"dojo.example/model"
)

//go:embed *.safetensors *.proof.zip
var files embed.FS

// extension is the extension of the files of the box; the game's name comes before it.
const extension = ".safetensors"

// Games lists the games that have a bot in the box, by name. It is empty in a
// program from which [Erase] has removed them.
func Games() (names []string) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), extension); ok && Has(name) {
			names = append(names, name)
		}
	}
	return names
}

// Has reports whether a game has a bot in the box.
func Has(game string) bool { return file(game) != nil }

// file returns the file of a game; nil if there is none or Erase has overwritten it. A
// checkpoint begins with the length of its header, which is not 0.
func file(game string) []byte {
	data, err := files.ReadFile(game + extension)
	if err != nil || len(data) < 8 || binary.LittleEndian.Uint64(data) == 0 {
		return nil
	}
	return data
}

// Load reads the bot in the box of a game. It is called box:GAME.
func Load(game string) (*model.Checkpoint, error) {
	data := file(game)
	if data == nil {
		return nil, fmt.Errorf("no model of %s comes with this program: name a MODEL", game)
	}
	c, err := model.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the model of %s in the box: %w", game, err)
	}
	c.Name = BoxPrefix + game
	return c, nil
}

// Proof returns the proof of the bot in the box of a game, and its file; see verify.Model.
func Proof(game string) (proof, model []byte, err error) {
	if model = file(game); model == nil {
		return nil, nil, fmt.Errorf("no model of %s comes with this program", game)
	}
	if proof, err = files.ReadFile(game + ".proof.zip"); err != nil {
		return nil, nil, fmt.Errorf("the model of %s in the box has no proof", game)
	}
	return proof, model, nil
}

// All reads all bots in the box.
func All() (all []*model.Checkpoint, err error) {
	for _, game := range Games() {
		c, err := Load(game)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// Erase overwrites the bots in the box of an executable of this program with
// zeros: a program that is handed out carries its own model only.
func Erase(executable []byte) {
	for _, game := range Games() {
		data := file(game)
		if at := bytes.Index(executable, data); at >= 0 {
			clear(executable[at : at+len(data)])
		}
	}
}
