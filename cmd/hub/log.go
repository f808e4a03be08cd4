package main

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog"
)

// logFlags are --log-level and --log-format.
type logFlags struct {
	Level  string `help:"Least severe level that is logged: debug, info, warn, error; info for a hub, error for publish." env:"RINGSIDE_LOG_LEVEL"`
	Format string `help:"json, or text for people." enum:"json,text" default:"text" env:"RINGSIDE_LOG_FORMAT"`
}

// logger writes to w. Values that come from outside go into fields, never into
// messages, so that neither format lets them forge a line.
func (f logFlags) logger(w io.Writer, otherwise string) (zerolog.Logger, error) {
	level, err := zerolog.ParseLevel(cmp.Or(f.Level, otherwise))
	if err != nil {
		return zerolog.Nop(), fmt.Errorf("--log-level %q: one of debug, info, warn, error", f.Level)
	}
	if f.Format == "text" {
		w = zerolog.ConsoleWriter{Out: w, NoColor: true, TimeFormat: time.TimeOnly}
	}
	return zerolog.New(w).Level(level).With().Timestamp().Logger(), nil
}
