package measure

import (
	"context"
	"fmt"
	"strings"

	"dojo.example/cli/bench"
	"dojo.example/internal/console"
)

// Bench runs benchmarks and prints each result as it is known, under the names of the kernels.
func Bench(ctx context.Context, o console.Output, kernels string, chosen []bench.Benchmark) error {
	if o.JSON {
		return bench.Measure(ctx, chosen, func(m bench.Result) error { return o.PrintJSON(m) })
	}
	const line = "%-34s %11s %-13s %9s %8s"
	show := func(name, value, unit, each, share string) error {
		_, err := fmt.Fprintln(o.Out, strings.TrimRight(fmt.Sprintf(line, name, value, unit, each, share), " "))
		return err
	}
	if _, err := fmt.Fprintf(o.Out, "%s\n\n", kernels); err != nil {
		return err
	}
	if err := show("name", "value", "unit", "each", "of peak"); err != nil {
		return err
	}
	return bench.Measure(ctx, chosen, func(m bench.Result) error {
		share, each := "", ""
		if m.OfPeak != nil {
			share = console.Percent(*m.OfPeak)
		}
		if m.Unit != bench.GigaOperations {
			each = duration(1 / m.Value)
		}
		return show(m.Name, console.Grouped(m.Value), m.Unit, each, share)
	})
}

// duration writes seconds with three digits.
func duration(seconds float64) string {
	switch {
	case seconds < 1e-6:
		return fmt.Sprintf("%.3g ns", 1e9*seconds)
	case seconds < 1e-3:
		return fmt.Sprintf("%.3g µs", 1e6*seconds)
	}
	return fmt.Sprintf("%.3g ms", 1e3*seconds)
}
