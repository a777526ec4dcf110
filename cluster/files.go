package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go/jetstream"
)

// chunkSize is the number of bytes of a file in one message of the stream of models. Each is
// stored and fetched by a request of its own, so that a file of any size gets through as long as
// the network carries a chunk within requestTimeout.
//
//	subject              message
//	….models.SHA256.0    the first chunkSize bytes of the file with this SHA-256
//	….models.SHA256.1    the next
//	….models.SHA256.2    the last, which is shorter, and may be empty
const chunkSize = 64 << 10

// modelsSubject is the subject of a chunk of a file; * stands for all files or chunks.
func (n names) modelsSubject(file, chunk string) string {
	return "dojo." + n.run + ".models." + file + "." + chunk
}

// storeFile stores a file for the workers; name is its SHA-256.
func (h *Hub) storeFile(ctx context.Context, name string, content []byte) error {
	for i := 0; ; i++ {
		chunk := content[:min(chunkSize, len(content))]
		content = content[len(chunk):]
		_, err := h.js.Publish(ctx, h.names.modelsSubject(name, strconv.Itoa(i)), chunk, jetstream.WithRetryAttempts(0)) // link.ask tries again
		if err != nil || len(chunk) < chunkSize {
			return err
		}
	}
}

// removeFile removes a file, if it is stored.
func (h *Hub) removeFile(ctx context.Context, name string) error {
	return h.models.Purge(ctx, jetstream.WithPurgeSubject(h.names.modelsSubject(name, "*")))
}

// fetchFile reads the file with the SHA-256 name from the stream of models, and verifies it. The
// error is errNoFile if the hub has removed it.
func fetchFile(ctx context.Context, models jetstream.Stream, n names, name string) ([]byte, error) {
	var content bytes.Buffer
	for i := 0; ; i++ {
		chunk, err := models.GetLastMsgForSubject(ctx, n.modelsSubject(name, strconv.Itoa(i)))
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil, errNoFile
		case err != nil:
			return nil, fmt.Errorf("read a file: %w", unanswered(err))
		}
		content.Write(chunk.Data)
		if len(chunk.Data) == chunkSize {
			continue
		}
		if digest(content.Bytes()) != name {
			return nil, errors.New("a file was damaged on its way")
		}
		return content.Bytes(), nil
	}
}

// errNoFile says that a file is not stored.
var errNoFile = errors.New("the file is not there")
