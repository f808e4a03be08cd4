package pijson_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/ringside-hub/ringside/agent/pijson"
)

func BenchmarkReader(b *testing.B) {
	for _, name := range []string{"bigout", "parallel", "cumulative"} {
		b.Run(name, func(b *testing.B) {
			src, err := os.ReadFile("testdata/" + name + ".jsonl")
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				r := pijson.NewReader(bytes.NewReader(src), pijson.Options{})
				for {
					if _, err := r.Next(); err == io.EOF {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
