//go:build !linux

package tools

import (
	"context"
	"errors"
	"os"
	"time"
)

const canSupervise = false

// Supervise returns at once: commands need Linux.
func Supervise() Supervisor { return Supervisor{} }

type execution struct {
	*call
	out   *spool
	mark  string
	limit time.Duration
	job   job
}

func (*execution) run(context.Context, *os.File) (ending, error) {
	return ending{}, errors.New("commands need Linux")
}
