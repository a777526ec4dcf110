package cluster

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"dojo.example/internal/atomicfile"
	"dojo.example/internal/regular"
)

// A ticketOffice makes tickets. A task travels with one, and its result is taken with that
// ticket alone: so a worker can only do tasks that it has been given. Tickets are a keyed hash,
// so that a hub that is started again knows those of before.
type ticketOffice struct{ secret []byte }

// openTicketOffice reads the secret in a folder. It makes a new one if the folder has none, or if
// once is set: then the work will not be continued by a later process.
func openTicketOffice(dir string, once bool) (ticketOffice, error) {
	secret := make([]byte, sha256.Size)
	_, _ = rand.Read(secret) // it never fails
	if once {
		return ticketOffice{secret}, nil
	}
	path := filepath.Join(dir, "tickets")
	if old, err := regular.Read(path, sha256.Size); err == nil && len(old) == sha256.Size {
		return ticketOffice{old}, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return ticketOffice{}, err
	}
	return ticketOffice{secret}, errors.Join(atomicfile.WriteBytes(path, secret), os.Chmod(path, 0o600))
}

// task returns the ticket of a task that is open to every worker.
func (o ticketOffice) task(lot string, number int) string { return o.check(lot, number, "") }

// check returns the ticket of a task that a worker is asked to do again.
func (o ticketOffice) check(lot string, number int, worker string) string {
	h := hmac.New(sha256.New, o.secret)
	fmt.Fprintf(h, "%s %d %s", lot, number, worker)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
