package main

import (
	"bytes"
	"fmt"
	"io"

	"dojo/internal/atomicfile"

	"github.com/spf13/cobra"
)

func (a *app) exportCommand() *cobra.Command {
	var as, out string
	cmd := &cobra.Command{
		Use:   "export MODEL",
		Short: "Hand out a trained bot",
		Long: `Writes a model in a form that works without this program's files:

  binary   one executable for this system, which is dojo and carries the model:
           run alone it is "dojo bot", and its play and evaluate need no MODEL`,
		Example: `  dojo export runs/onitama-quick --as binary -o onitama-bot
  ./onitama-bot --protocol codingame --movetime 42ms`,
		Args: modelArgs(a, 0),
		RunE: func(_ *cobra.Command, args []string) error {
			if as != "binary" {
				return usagef("--as %q is not a form of export; there is binary", as)
			}
			if out == "" {
				return usagef("-o FILE is missing")
			}
			c, game, err := a.openModel(args)
			if err != nil {
				return err
			}
			var checkpoint bytes.Buffer
			if err := c.Encode(&checkpoint); err != nil {
				return fmt.Errorf("export: %w", err)
			}
			self, size, err := openSelf()
			if err != nil {
				return fmt.Errorf("export: the running program: %w", err)
			}
			defer self.Close()
			if err := atomicfile.WriteExecutable(out, func(w io.Writer) error {
				return writePayload(w, self, size, checkpoint.Bytes())
			}); err != nil {
				return fmt.Errorf("export: %w", err)
			}
			fmt.Fprintf(a.stderr, "%s plays %s with model %s\n", out, game.Name, c.Name)
			return nil
		},
	}
	cmd.Flags().StringVar(&as, "as", "binary", "the form: binary")
	cmd.Flags().StringVarP(&out, "output", "o", "", "the file to write")
	return cmd
}
