package train

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"time"

	"dojo.example/data/rundir"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/bounded"
	"dojo.example/internal/tfevents"
	"dojo.example/model"
)

// commit writes the record of a generation. Once this file exists, the generation is committed
// (complete and part of the run). Then commit reports the generation.
func (r *Run) commit(_ context.Context, made *Metrics) (err error) {
	m := *made
	m.Time = time.Now().UTC().Truncate(time.Second)
	m.Formulas = Formulas
	if m.Config, err = rundir.FileHash(r.opt.Folder.ConfigPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if m.Files, err = r.opt.Folder.List(m.Generation); err != nil {
		return err
	}
	record, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if record, err = r.opt.Folder.Commit(m.Generation, record); err != nil {
		return err
	}
	// Read the record back, with its seal.
	if m, err = ParseRecord(r.opt.Folder, m.Generation, record); err != nil {
		return err
	}
	r.done = append(r.done, m)
	if err := r.publish(); err != nil {
		return err
	}
	r.opt.Report.Generation(m)
	// Keep only the samples of the newest generations, because no later generation trains on older
	// ones. keep is the number of these generations.
	if keep := r.opt.Data.Keep; keep > 0 {
		if err := r.opt.Folder.DropSamples(len(r.done) - keep); err != nil {
			return err
		}
	}
	return r.opt.Folder.DropClaims(m.Generation)
}

// publish writes the files that summarise the records of all generations: best, metrics.jsonl and
// the events for TensorBoard. If there is no record, it removes these files.
func (r *Run) publish() error {
	if len(r.done) == 0 {
		return r.opt.Folder.Unpublish()
	}
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	var points []tfevents.Point
	for _, m := range r.done {
		if err := encoder.Encode(m); err != nil {
			return err
		}
		points = append(points, m.points()...)
	}
	var events bytes.Buffer
	if err := tfevents.Write(&events, points); err != nil {
		return err
	}
	for _, err := range []error{r.opt.Folder.SetBest(r.Best()), r.opt.Folder.PublishMetrics(lines.Bytes()), r.opt.Folder.PublishEvents(events.Bytes())} {
		switch {
		case err == nil:
		case !atomicfile.IsBusy(err):
			return err
		case r.opt.Warn != nil: // not an error, because the next generation writes the file again
			r.opt.Warn(fmt.Errorf("%w; another program has it open, and the next generation completes it", err))
		}
	}
	return nil
}

// points returns the values that TensorBoard shows for a generation. These are the fields with the
// tag "event". If the record leaves out a field or a struct because it is zero, points leaves out
// this field or the fields of this struct.
func (m Metrics) points() (points []tfevents.Point) {
	add := func(tag string, v float64) {
		points = append(points, tfevents.Point{
			Step: int64(m.Generation), Wall: float64(m.Time.Unix()), Tag: tag, Value: float32(v),
		})
	}
	var addFields func(reflect.Value)
	addFields = func(all reflect.Value) {
		for field, v := range all.Fields() {
			tag := field.Tag.Get("event")
			switch {
			case v.IsZero() && strings.Contains(field.Tag.Get("json"), ",omitzero"):
			case tag != "":
				add(tag, v.Float())
			case v.Kind() == reflect.Struct:
				addFields(v)
			}
		}
	}
	addFields(reflect.ValueOf(m))
	add("gate/games", float64(m.Gate.Wins+m.Gate.Losses+m.Gate.Draws))
	return points
}

// ReadMetrics reads the records of all committed generations, in the order of the generations.
func ReadMetrics(f rundir.Folder) ([]Metrics, error) {
	records, err := f.Records()
	if err != nil {
		return nil, err
	}
	all := make([]Metrics, len(records))
	for g, text := range records {
		if all[g], err = ParseRecord(f, g, text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// mostElo is the largest absolute value of a gate's Elo that ParseRecord accepts. The estimates
// that package arena computes are far smaller.
const mostElo = 1e5

// ParseRecord parses and checks the text of a generation's record.
func ParseRecord(f rundir.Folder, generation int, text []byte) (m Metrics, err error) {
	if err := bounded.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s: %w", f.Record(generation), err)
	}
	if m.Generation != generation {
		return m, fmt.Errorf("%s is the record of generation %d", f.Record(generation), m.Generation)
	}
	for _, name := range []string{m.Player, m.Best} {
		if name != model.NoModel && !rundir.IsModelName(name) {
			return m, fmt.Errorf("%s names %q, which is not the name of a model of the run", f.Record(generation), name)
		}
	}
	if err := m.Ladder.check(); err != nil {
		return m, fmt.Errorf("%s has %w", f.Record(generation), err)
	}
	for _, elo := range []float64{m.Gate.Elo, m.Gate.EloLow, m.Gate.EloHigh} {
		if elo < -mostElo || elo > mostElo {
			return m, fmt.Errorf("%s has a gate with an Elo of %g, which no match gives", f.Record(generation), elo)
		}
	}
	return m, nil
}
