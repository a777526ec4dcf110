package cli

import (
	"errors"
	"strings"

	"dojo.example/internal/flags"

	"github.com/spf13/cobra"
)

// A natsLogin holds the paths of files with a login at a NATS server; see natsclient.Login. A client
// certificate is another such login, and a token is a third one.
type natsLogin struct{ Creds, NKey string }

// register adds --nats-creds and --nats-nkey to a verb that has --token and --token-file.
func (l *natsLogin) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.Creds, "nats-creds", "", "log in to the NATS server with the user's JWT and key in this file, as nsc writes it (.creds)")
	cmd.Flags().StringVar(&l.NKey, "nats-nkey", "", "log in to the NATS server with the nkey whose seed is in this file")
	flags.Exclude(cmd, "nats-creds", "nats-nkey", "token", "token-file")
	flags.Exclude(cmd, "nats-nkey", "token", "token-file")
}

// invitation returns the flags with which a worker logs in, if the trainer has logged in with l or
// with a client certificate. Their files are examples, because a worker should have its own login.
func (l natsLogin) invitation(certificate string) []string {
	switch {
	case l.Creds != "":
		return []string{"--nats-creds", "worker.creds"}
	case l.NKey != "":
		return []string{"--nats-nkey", "worker.nk"}
	case certificate != "":
		return []string{"--tls-cert", "worker.pem", "--tls-key", "worker-key.pem"}
	}
	return nil
}

// checkPair returns an error if only one of --tls-cert and --tls-key is given.
func checkPair(certificate, key string) error {
	if (certificate == "") != (key == "") {
		return errors.New("--tls-cert and --tls-key need each other: give both or neither")
	}
	return nil
}

// checkJoin returns an error if a worker has a login or a certificate for a NATS server, but joins
// the HOST:PORT of a trainer.
func (l natsLogin) checkJoin(join, certificate string) error {
	if (l != natsLogin{} || certificate != "") && !strings.Contains(join, "://") {
		return errors.New("--nats-creds, --nats-nkey and --tls-cert need the URL of a NATS server in --join, e.g. tls://host:4222")
	}
	return nil
}
