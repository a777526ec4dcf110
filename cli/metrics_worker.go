package cli

import (
	"context"
	"errors"

	"dojo.example/cluster/worker"

	"github.com/prometheus/client_golang/prometheus"
)

// workerMetrics computes the metrics of a worker. now says what the worker is doing.
type workerMetrics struct{ now func() worker.Activity }

var _ prometheus.Collector = workerMetrics{}

// A workerMetric is a metric of a worker.
type workerMetric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(worker.Activity) float64
}

func aboutWorker(kind prometheus.ValueType, name, help string, value func(worker.Activity) float64) workerMetric {
	return workerMetric{prometheus.NewDesc("dojo_worker_"+name, help, nil, nil), kind, value}
}

var workerRun = prometheus.NewDesc("dojo_worker_run_info", "The run or match for which the worker plays; always 1.", []string{"run"}, nil)

var aboutWorkers = []workerMetric{
	aboutWorker(prometheus.GaugeValue, "connected", "1 if a trainer has admitted the worker and answers it, else 0.", func(a worker.Activity) float64 { return oneIf(isServing(a) == nil) }),
	aboutWorker(prometheus.GaugeValue, "busy", "1 if the worker does a task now, else 0.", func(a worker.Activity) float64 { return oneIf(a.Busy) }),
	aboutWorker(prometheus.CounterValue, "idle_seconds_total", "Time in which the worker had no task.", func(a worker.Activity) float64 { return a.Idle.Seconds() }),
	aboutWorker(prometheus.CounterValue, "tasks_total", "Tasks whose results the worker has sent.", func(a worker.Activity) float64 { return float64(a.Tasks) }),
	aboutWorker(prometheus.CounterValue, "games_total", "Games that the worker has played.", func(a worker.Activity) float64 { return float64(a.Games) }),
	aboutWorker(prometheus.CounterValue, "positions_total", "Positions that the worker has played.", func(a worker.Activity) float64 { return float64(a.Positions) }),
	aboutWorker(prometheus.CounterValue, "simulations_total", "Simulations of the worker's searches in self-play.", func(a worker.Activity) float64 { return float64(a.Simulations) }),
}

// watchWorker lets a worker with the options opt answer at the address of --metrics. The caller must
// call stop.
func (f *metricsFlags) watchWorker(ctx context.Context, opt *worker.Options) (stop func() error, err error) {
	opt.Monitor = &worker.Monitor{}
	m := newMonitor(func() error { return isReady(opt.Monitor.Now()) })
	m.metrics.MustRegister(workerMetrics{opt.Monitor.Now})
	return f.serve(ctx, m, func(url string) { opt.Log.Info("serving metrics", "address", url) })
}

// Describe sends the descriptions of all metrics.
func (m workerMetrics) Describe(to chan<- *prometheus.Desc) {
	to <- workerRun
	for _, x := range aboutWorkers {
		to <- x.desc
	}
}

// Collect sends the metrics.
func (m workerMetrics) Collect(to chan<- prometheus.Metric) {
	a := m.now()
	if a.Serves != "" {
		to <- prometheus.MustNewConstMetric(workerRun, prometheus.GaugeValue, 1, a.Serves)
	}
	for _, x := range aboutWorkers {
		to <- prometheus.MustNewConstMetric(x.desc, x.kind, x.value(a))
	}
}

// isReady returns nil if the worker can play as soon as there is a task for it. Without a run on a
// NATS server, a worker is ready, because it would serve the next one.
func isReady(a worker.Activity) error {
	if a.Waits == worker.NoRun {
		return nil
	}
	return isServing(a)
}

// isServing returns nil if a trainer has admitted the worker and answers it, or the reason why not.
func isServing(a worker.Activity) error {
	switch {
	case a.Waits != "":
		return errors.New(a.Waits)
	case a.Serves == "":
		return errors.New("no trainer has admitted this worker yet")
	}
	return nil
}

func oneIf(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
