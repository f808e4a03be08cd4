package hub

import (
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics serves the hub's counters in Prometheus' format, from a registry of
// its own.
func (h *Hub) metrics() echo.HandlerFunc {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	s := &h.stats
	count := func(name, help string, read func() int64) {
		reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "ringside", Name: name, Help: help},
			func() float64 { return float64(read()) }))
	}
	count("events_in_total", "Events folded.", s.EventsIn.Load)
	count("events_bad_total", "Events that could not be folded.", s.BadEvents.Load)
	count("frames_sent_total", "Frames of runs given to observers.", s.Frames.Load)
	count("writes_total", "Writes to observers' sockets.", s.Writes.Load)
	count("snapshots_encoded_total", "Snapshots encoded.", s.Snapshots.Load)
	count("resets_total", "Breaks in a run's sequence.", s.Resets.Load)
	count("backfills_total", "Reads of history for observers that resume.", s.Backfills.Load)
	count("follows_total", "Runs followed anew.", s.Follows.Load)
	count("connections_total", "Connections accepted.", s.Opened.Load)
	count("connections_closed_total", "Connections ended.", s.Closed.Load)
	count("handshakes_refused_total", "Handshakes refused.", s.Rejected.Load)
	count("messages_refused_total", "Client messages refused.", s.Refused.Load)
	count("slow_snapshots_total", "Snapshots for observers that were too slow.", s.Slowed.Load)
	count("stalled_total", "Connections ended because nothing was read.", s.Stalled.Load)
	count("silent_total", "Connections ended because a ping was not answered.", s.Silent.Load)
	count("claims_total", "Runs claimed over HTTP.", s.Claims.Load)
	count("appended_total", "Events appended over HTTP.", s.Appended.Load)
	count("runs_reaped_total", "Runs given up because their worker was lost.", s.Reaped.Load)
	count("reaps_failed_total", "Attempts to give a run up that failed.", s.ReapFailed.Load)
	gauge := func(name, help string, read func() int64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "ringside", Name: name, Help: help},
			func() float64 { return float64(read()) }))
	}
	gauge("observers", "Connections now.", func() int64 { return h.figures(time.Now()).Observers })
	gauge("runs_followed", "Runs followed now.", func() int64 { return h.figures(time.Now()).Runs })
	if c, ok := h.cfg.Store.(prometheus.Collector); ok {
		reg.MustRegister(c) // what a store counts is its own matter
	}
	return echo.WrapHandler(promhttp.HandlerFor(reg, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, DisableCompression: true}))
}
