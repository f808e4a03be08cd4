package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func workspaceOf(temp string, r demoRun) string { return filepath.Join(temp, r.ID) }

// makeWorkspace makes the sample workspace anew: the embedded files, and the logs
// and invoices that would be too many to embed. It is the same each time.
func makeWorkspace(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	files, err := fs.Sub(demoFiles, "demo/workspace")
	if err != nil {
		return err
	}
	if err := os.CopyFS(dir, files); err != nil {
		return err
	}
	for n := range 3 {
		name := fmt.Sprintf("logs/api-%02d.log", n+1)
		if err := put(dir, name, nightLog(n)); err != nil {
			return err
		}
	}
	for year := 2019; year <= 2024; year++ {
		for n := range 40 {
			name := fmt.Sprintf("archive/%d/invoices-%02d.csv", year, n+1)
			if err := put(dir, name, invoices(year, n)); err != nil {
				return err
			}
		}
	}
	return nil
}

func put(dir, name, content string) error {
	name = filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(content), 0o644)
}

// nightLog is what a server said in six hours. The second one has a bad time
// between two and four.
func nightLog(server int) string {
	r := rand.New(rand.NewPCG(7, uint64(server)))
	at := time.Date(2025, 3, 14, 0, 0, 0, 0, time.UTC)
	end := at.Add(6 * time.Hour)
	var b strings.Builder
	for at.Before(end) {
		at = at.Add(time.Duration(2+r.IntN(18)) * time.Second)
		bad := server == 1 && at.Hour() >= 2 && at.Hour() < 4
		took := 20 + r.IntN(200)
		level, what := "INFO ", fmt.Sprintf("POST /orders 201 took %dms", took)
		switch n := r.IntN(100); {
		case bad && n < 12:
			level, what = "ERROR", "pool exhausted: 20 of 20 connections wait"
		case bad && n < 55 || n < 3:
			level, what = "WARN ", "upstream timeout: payment did not answer within 3s"
		case bad:
			what = fmt.Sprintf("POST /orders 201 took %dms", 3000+took)
		}
		fmt.Fprintf(&b, "%s %s api-%02d %s\n", at.Format("2006-01-02T15:04:05Z"), level, server+1, what)
	}
	return b.String()
}

func invoices(year, n int) string {
	r := rand.New(rand.NewPCG(uint64(year), uint64(n)))
	var b strings.Builder
	for i := range 30 + (year-2019)*12 + r.IntN(20) {
		fmt.Fprintf(&b, "%d-%05d,%d\n", year, n*200+i+1, 300+r.IntN(20_000))
	}
	return b.String()
}
