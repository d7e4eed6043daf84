package native

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/protocol"
)

// spawnTime bounds how long a shim may take to listen; it takes milliseconds.
const spawnTime = 30 * time.Second

// spawnShim gives the group its shim and, while that begins, connects its
// network. g.change is held.
func (r *Runtime) spawnShim(ctx context.Context, g *group) error {
	for _, dir := range []string{g.place.Dir, g.place.Etc(""), g.place.Logs(), g.place.Runs(), g.place.RunDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, spawnTime)
	defer cancel()
	if h := r.takeSpare(); h != nil {
		err := r.begin(ctx, g, h)
		if err == nil || ctx.Err() != nil {
			return err
		}
		r.log.Warn("a spare shim is of no use", "error", err)
	}
	h, err := r.hatchShim()
	if err != nil {
		return err
	}
	return r.begin(ctx, g, h)
}

// begin makes a process the shim of the group.
func (r *Runtime) begin(ctx context.Context, g *group, h *hatchling) error {
	record, err := shimRecord(h.process.Pid)
	if err == nil {
		err = layout.Write(g.place.Shim(), record, false)
	}
	var answer protocol.Ready
	if err == nil {
		var network sync.WaitGroup
		network.Go(func() { r.attach(g, h.process.Pid) })
		filter, _ := defaultFilter() // that it compiles was found out by New, where it matters
		answer, err = h.tell(ctx, &protocol.Setup{Version: protocol.Version, Group: g.place, Filter: filter.program})
		network.Wait()
	}
	if err == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	}
	if err != nil {
		h.drop()
		return fmt.Errorf("start the group's shim: %w", err)
	}
	for _, note := range answer.Notes {
		r.once("part of a group's ground does not work: " + note)
	}
	r.follow(g, func() {})
	// It is our child until we die; then somebody else's.
	go func() { _, _ = h.process.Wait() }()
	return nil
}

// shimRecord says what identifies a process beyond its number; fs.ErrNotExist
// when there is none of that number.
func shimRecord(pid int) (layout.ShimRecord, error) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if errors.Is(err, unix.ESRCH) { // it ended between open and read
		err = fs.ErrNotExist
	}
	if err != nil {
		return layout.ShimRecord{}, err
	}
	// The name in parentheses may hold anything; what follows it does not.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const startTime = 22 - 3 // field 22 of proc(5), counted from the third
	if len(fields) <= startTime {
		return layout.ShimRecord{}, errors.New("/proc does not look as it should")
	}
	started, err := strconv.ParseUint(fields[startTime], 10, 64)
	if err != nil {
		return layout.ShimRecord{}, err
	}
	boot, err := bootID()
	return layout.ShimRecord{PID: pid, Started: started, Boot: boot}, err
}

var bootID = sync.OnceValues(func() (string, error) {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text)), err
})

// attach connects the group to the bridge. A group without it still runs, with
// its loopback interface and its published ports.
func (r *Runtime) attach(g *group, pid int) {
	if r.network == nil {
		return
	}
	g.mu.Lock()
	host := g.record.Host
	g.mu.Unlock()
	if host == 0 {
		return
	}
	notes, err := r.network.Attach(host, pid)
	for _, note := range notes {
		r.once(note)
	}
	if err != nil {
		r.once("groups have no network besides their published ports and 127.0.0.1: " + err.Error())
	}
}
