package tools

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Workspace is the folder that tools work in, and what they may use.
type Workspace struct {
	// Dir is the folder. It is opened anew for each call; a call made while it
	// does not exist fails and says so.
	Dir string
	// Environ is the environment that commands are given a part of, usually
	// os.Environ(): PATH, HOME, the locale and a few more of that kind.
	Environ []string
	// PassEnviron names further variables of Environ that commands may see.
	PassEnviron []string
	// Supervisor is what Supervise has returned. The bash tool needs it.
	Supervisor Supervisor
	// Shell is what commands are written for: /bin/bash, or where there is
	// none /bin/sh, by default. It is called with -c and the command.
	Shell string
	// AllowHardLinks lets tools open files that have more than one name. Some
	// package managers make them; but the other name may be outside.
	AllowHardLinks bool
	Limits         Limits
}

// Limits bounds what one call may take. Zero fields have the default in
// parentheses; negative ones are refused.
type Limits struct {
	Entries     int           // files and folders that scan, grep and ls look at (200,000)
	FileBytes   int           // the largest file that write, edit and grep take (16 MiB)
	ScanBytes   int           // file content that one read or grep goes through (1 GiB)
	ResultBytes int           // text of a result (48 KiB)
	OutputBytes int           // output of a command or a fetched text that is kept whole (16 MiB)
	FetchBytes  int           // body of a fetched page (8 MiB)
	FileTime    time.Duration // a call that works on files (2 min)
	FetchTime   time.Duration // a fetch with all its redirects (30 s)
	CommandTime time.Duration // the longest time that a command may ask for (1 h)
	Grace       time.Duration // between asking a command to end and killing it (2 s)
	Processes   int           // that a command may have at one time (512)
}

// minResult has room for one line of full length and what is said beside it.
const minResult = 4 << 10

func (l *Limits) setDefaults() error {
	for _, f := range []struct {
		name string
		to   *int
		def  int
	}{
		{"Entries", &l.Entries, 200_000}, {"FileBytes", &l.FileBytes, 16 << 20}, {"ScanBytes", &l.ScanBytes, 1 << 30},
		{"ResultBytes", &l.ResultBytes, 48 << 10}, {"OutputBytes", &l.OutputBytes, 16 << 20},
		{"FetchBytes", &l.FetchBytes, 8 << 20}, {"Processes", &l.Processes, 512},
	} {
		if *f.to < 0 {
			return fmt.Errorf("%s is %d, it must not be negative", "Limits."+f.name, *f.to)
		}
		if *f.to == 0 {
			*f.to = f.def
		}
	}
	if l.ResultBytes < minResult {
		return fmt.Errorf("Limits.ResultBytes is %d, at least %d are needed", l.ResultBytes, minResult)
	}
	for _, f := range []struct {
		name string
		to   *time.Duration
		def  time.Duration
	}{
		{"FileTime", &l.FileTime, 2 * time.Minute}, {"FetchTime", &l.FetchTime, 30 * time.Second},
		{"CommandTime", &l.CommandTime, time.Hour}, {"Grace", &l.Grace, 2 * time.Second},
	} {
		if *f.to < 0 {
			return fmt.Errorf("%s is %v, it must not be negative", "Limits."+f.name, *f.to)
		}
		if *f.to == 0 {
			*f.to = f.def
		}
	}
	return nil
}

// check fills in defaults and refuses what cannot work.
func (w *Workspace) check() error {
	if w.Dir == "" {
		return errors.New("Workspace.Dir is empty")
	}
	if err := w.Limits.setDefaults(); err != nil {
		return err
	}
	dir, err := filepath.Abs(w.Dir)
	if err != nil {
		return fmt.Errorf("Workspace.Dir: %w", err)
	}
	// Later changes of the process's own folder must not move the workspace.
	w.Dir = dir
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("Workspace.Dir: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("Workspace.Dir: %s is not a folder", dir)
	}
	return nil
}
