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
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ludgate/internal/engine/native/layout"
	"ludgate/internal/engine/native/protocol"
	"ludgate/internal/engine/native/sealed"
	"ludgate/internal/engine/native/shim"
	"ludgate/internal/engine/native/uplink"
)

// spawnTime bounds how long a shim may take to listen; it takes milliseconds.
const spawnTime = 30 * time.Second

// spawnShim starts the group's shim and, while that comes up, connects its
// network. g.change is held.
func (r *Runtime) spawnShim(ctx context.Context, g *group) error {
	for _, dir := range []string{g.place.Dir, g.place.Etc(""), g.place.Logs(), g.place.Runs(), g.place.RunDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	log, err := os.OpenFile(g.place.ShimLog(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	filter, _ := defaultFilter() // that it compiles was found out by New, where it matters
	setup := &protocol.Setup{Version: protocol.Version, Group: g.place, Rootless: r.rootless, Filter: filter.program}
	var extra []*os.File
	if r.uplink {
		socket, err := r.spawnUplink(g, log)
		if err != nil {
			return fmt.Errorf("start the group's uplink: %w", err)
		}
		defer socket.Close() // the shim's copy is the one that counts
		setup.UplinkFD, extra = shim.UplinkFD, []*os.File{socket}
	}
	process, ready, err := r.spawn(shim.Name, setup, log, extra...)
	if err != nil {
		return err
	}
	defer ready.Close()
	record, err := shimRecord(process.Pid)
	if err == nil {
		err = layout.Write(g.place.Shim(), record, false)
	}
	var network sync.WaitGroup
	if err == nil {
		network.Go(func() { r.attach(g, process.Pid) })
	}
	var answer protocol.Ready
	if err == nil {
		wait, cancel := context.WithTimeout(ctx, spawnTime)
		answer, err = readReady(wait, ready)
		cancel()
	}
	network.Wait()
	if err == nil && answer.Error != "" {
		err = errors.New(answer.Error)
	}
	if err != nil {
		_ = process.Kill()
		_, _ = process.Wait()
		return fmt.Errorf("start the group's shim: %w", err)
	}
	for _, note := range answer.Notes {
		r.once("part of a group's ground does not work: " + note)
	}
	r.follow(g, func() {})
	// It is our child until we die; then somebody else's.
	go func() { _, _ = process.Wait() }()
	return nil
}

// spawnUplink starts the process that connects the group of an ordinary user
// with the world. It gives the shim's end of the socket between the two.
func (r *Runtime) spawnUplink(g *group, log *os.File) (*os.File, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "uplink"), os.NewFile(uintptr(pair[1]), "shim")
	defer theirs.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		ours.Close()
		return nil, err
	}
	defer null.Close()
	process, err := os.StartProcess(sealed.Path(r.self), []string{uplink.Name, g.place.RunDir}, &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=2"},
		Files: []*os.File{null, log, log, uplink.SocketFD: theirs},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		ours.Close()
		return nil, err
	}
	go func() { _, _ = process.Wait() }() // it ends with the shim
	return ours, nil
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
