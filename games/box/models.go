// Package box contains the built-in models (the box): a trained checkpoint for each game, embedded
// in the program. The program uses the built-in model wherever the user does not name a model.
//
// The checkpoint of a game is the file GAME.safetensors in this folder. GAME.proof.zip proves how
// it was trained from its configuration; see verify.Proof. GAME.md describes its training and its
// strength. The script put.sh replaces a checkpoint. [Open] loads a model, built-in or not, by the
// name that the user gives.
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

// extension is the extension of a checkpoint's file name. The game's name comes before it.
const extension = ".safetensors"

// Games returns the names of the games that have a built-in model, sorted. It returns none in a
// program from which [Erase] has removed the models.
func Games() (names []string) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic(err) // cannot happen: the folder is embedded
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), extension); ok && Has(name) {
			names = append(names, name)
		}
	}
	return names
}

// Has reports whether a game has a built-in model.
func Has(game string) bool { return file(game) != nil }

// file returns the built-in checkpoint of a game in bytes. It returns nil if there is none or if
// Erase has overwritten it. A valid checkpoint cannot begin with a 0: it begins with the length of
// its header, which is never 0.
func file(game string) []byte {
	data, err := files.ReadFile(game + extension)
	if err != nil || len(data) < 8 || binary.LittleEndian.Uint64(data) == 0 {
		return nil
	}
	return data
}

// Load returns the built-in model of a game, under the name box:GAME.
func Load(game string) (*model.Checkpoint, error) {
	data := file(game)
	if data == nil {
		return nil, fmt.Errorf("this program contains no model of %s; name a MODEL", game)
	}
	c, err := model.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the built-in model of %s: %w", game, err)
	}
	c.Name = BoxPrefix + game
	return c, nil
}

// Proof returns the proof of how a game's built-in model was trained, and the model's checkpoint
// file; see verify.Model.
func Proof(game string) (proof, model []byte, err error) {
	if model = file(game); model == nil {
		return nil, nil, fmt.Errorf("this program contains no model of %s", game)
	}
	if proof, err = files.ReadFile(game + ".proof.zip"); err != nil {
		return nil, nil, fmt.Errorf("the built-in model of %s has no proof", game)
	}
	return proof, model, nil
}

// All loads all built-in models.
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

// Erase overwrites all built-in models with zeros in a copy of this program's executable file. If a
// program is exported with a model, it then contains only that model.
func Erase(executable []byte) {
	for _, game := range Games() {
		data := file(game)
		if at := bytes.Index(executable, data); at >= 0 {
			clear(executable[at : at+len(data)])
		}
	}
}
