package bench

import (
	"fmt"
	"text/tabwriter"
	"time"
)

// print writes the table: figures, and the server's processor time as a
// multiple of the empty call's.
func (b *run) print() error {
	var floor time.Duration
	for _, r := range b.results {
		if r.name == "empty" && !r.cpuUnknown {
			floor = r.cpuPerOp()
		}
	}
	fmt.Fprintln(b.opt.Out)
	w := tabwriter.NewWriter(b.opt.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "workload\tops/s\tp50 ms\tp99 ms\tserver CPU µs/op\tx empty\t")
	for _, r := range b.results {
		cpu, ratio := "-", "-"
		if !r.cpuUnknown {
			cpu = fmt.Sprintf("%.1f", micro(r.cpuPerOp()))
			if floor > 0 {
				ratio = fmt.Sprintf("%.1f", float64(r.cpuPerOp())/float64(floor))
			}
		}
		fmt.Fprintf(w, "%s\t%.0f\t%.2f\t%.2f\t%s\t%s\t\n", r.name, r.perSecond(), milli(r.p50), milli(r.p99), cpu, ratio)
	}
	if b.hashes > 0 {
		fmt.Fprintf(w, "password hash alone\t%.1f\t\t\t\t\t\n", b.hashes)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, r := range b.results {
		if r.note != "" {
			fmt.Fprintf(b.opt.Out, "%s: %s\n", r.name, r.note)
		}
	}
	for _, n := range b.notes {
		fmt.Fprintln(b.opt.Out, n)
	}
	return nil
}

func milli(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// mega is a number of bytes in binary megabytes.
func mega(n int64) float64 { return float64(n) / (1 << 20) }
