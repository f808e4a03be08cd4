package term

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Numbers and times as the page writes them. Digits are grouped by a space.

func grouped[T int | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

func count[T int | int64](n T, one, many string) string {
	if n == 1 {
		return grouped(n) + " " + one
	}
	return grouped(n) + " " + many
}

// duration gives "0.4 s", "37.9 s", then "2:41" and "1:02:41".
func duration(ms int64) string {
	ms = max(ms, 0)
	if ms < 59_950 {
		return fmt.Sprintf("%.1f s", float64(ms)/1000)
	}
	return clock(ms)
}

// ticking gives whole seconds: "7 s", then "2:41".
func ticking(ms int64) string {
	ms = max(ms, 0)
	if ms < 60_000 {
		return strconv.FormatInt(ms/1000, 10) + " s"
	}
	return clock(ms)
}

// stopwatch gives "00:07", "02:41", "1:02:41".
func stopwatch(ms int64) string {
	s := clock(ms)
	return strings.Repeat("0", max(0, 5-len(s))) + s
}

func clock(ms int64) string {
	all := (max(ms, 0) + 50) / 1000
	if h := all / 3600; h > 0 {
		return fmt.Sprintf("%d:%02d:%02d", h, all/60%60, all%60)
	}
	return fmt.Sprintf("%d:%02d", all/60, all%60)
}

func bytesText[T int | int64](n T) string {
	value, unit := float64(n), "B"
	for _, next := range []string{"kB", "MB", "GB"} {
		if value < 1000 {
			break
		}
		value, unit = value/1000, next
	}
	if unit != "B" && value < 10 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0") + " " + unit
	}
	return fmt.Sprintf("%.0f %s", value, unit)
}

// timeOfDay is the local time of day, "14:04:52", of Unix milliseconds.
func timeOfDay(ms int64, loc *time.Location) string {
	return time.UnixMilli(ms).In(loc).Format(time.TimeOnly)
}

// shortTime is the time of day, with the date where that is not now's.
func shortTime(ms, now int64, loc *time.Location) string {
	if ms <= 0 {
		return ""
	}
	t, n := time.UnixMilli(ms).In(loc), time.UnixMilli(now).In(loc)
	if t.YearDay() == n.YearDay() && t.Year() == n.Year() {
		return t.Format(time.TimeOnly)
	}
	return t.Format(time.DateTime)
}

func ordinal(n int) string {
	suffix := "th"
	if tens := n % 100; tens < 11 || tens > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.Itoa(n) + suffix
}

// headline is the first line that says anything; one that ends in a colon says
// it with the next.
func headline(text string) string {
	first := ""
	for line := range strings.Lines(SafeText(clipBytes(text, 4000))) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
		case first != "":
			return first + " " + line
		case !strings.HasSuffix(line, ":"):
			return line
		default:
			first = line
		}
	}
	return first
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(s)
	s = string(unicode.ToUpper(r)) + s[n:]
	if !strings.ContainsAny(s[len(s)-1:], ".!?") && !strings.HasSuffix(s, "…") {
		s += "."
	}
	return s
}

// lastLine is the last line that says anything.
func lastLine(text string) string {
	text = strings.TrimRight(SafeText(tailBytes(text, 2000)), " \n")
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}

// clipBytes and tailBytes bound what is looked at. A character may be cut: what
// is left of it is cleaned away later.
func clipBytes(s string, n int) string { return s[:min(len(s), n)] }
func tailBytes(s string, n int) string { return s[max(0, len(s)-n):] }
