package cli

import (
	"fmt"
	"runtime"
	"strings"

	"dojo.example/internal/flags"
	"dojo.example/internal/licences"
	"dojo.example/internal/version"
	"dojo.example/model/kernel"
	"dojo.example/search/think"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	var notices bool
	cmd := arguments{}.of(&cobra.Command{
		Use:   "version",
		Short: "Print the version, the commit, and the kernels in use",
		Example: `  dojo version --json
  dojo version --licences`,
		RunE: func(*cobra.Command, []string) error {
			if notices {
				_, err := fmt.Fprint(a.stdout, licences.All())
				return err
			}
			v := struct {
				version.Info
				System  string `json:"system"`
				Kernels string `json:"kernels"` // instruction set of the float kernels
				Quant   string `json:"kernels_int8"`
				Model   string `json:"model,omitempty"` // hash of the model that this program carries
			}{version.Read(), runtime.GOOS + "/" + runtime.GOARCH, kernel.Name(), kernel.QuantName(), ""}
			text := fmt.Sprintf("dojo %s, %s, %s, %s\n", v.Info, v.Go, v.System, kernelNames())
			if a.carried != nil {
				search, err := think.Constants(a.carried.Meta)
				if err != nil {
					return err
				}
				v.Model = a.carried.Hash()
				text = strings.Join(origin(a.carried, search), "\n") + "\n" + text
			}
			return a.found(text, v)
		},
	})
	a.jsonFlag(cmd)
	cmd.Flags().BoolVar(&notices, "licences", false, "print the licences of dojo and of all linked modules")
	flags.Exclude(cmd, "json", "licences")
	return cmd
}

// kernelNames returns the names of the instruction sets that the kernels use.
func kernelNames() string {
	return fmt.Sprintf("kernels %s, in 8 bits %s", kernel.Name(), kernel.QuantName())
}
