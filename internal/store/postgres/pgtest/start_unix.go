//go:build unix

package pgtest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	startTimeout = 60 * time.Second
	superuser    = "ludgate"
)

// guard runs the server and ends it when its standard input does, which the
// kernel sees to however this process ends. Immediate shutdown is right for data
// that nobody wants. $1 is the program, $2 the directory to remove, the rest are
// the server's arguments.
const guard = `program=$1; dir=$2; shift 2
"$program" "$@" & server=$!
cat >/dev/null
kill -QUIT $server; wait $server
rm -rf "$dir"`

// start makes a database cluster and runs a server on it. It returns the URL of
// its database.
func start() (string, error) {
	bin, err := programs()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "ludgate-pg-") // short: the socket's path may have about 100 bytes
	if err != nil {
		return "", err
	}
	attr, err := ordinaryUser(dir)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	data := filepath.Join(dir, "data")
	if err := initdb(bin, dir, data, attr); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	if err := serve(bin, dir, data, attr); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	query := url.Values{"host": {dir}, "sslmode": {"disable"}}
	address := "postgres://" + superuser + "@/postgres?" + query.Encode()
	if err := awaitServer(address); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		return "", fmt.Errorf("%w; its log: %s", err, log)
	}
	return address, nil
}

// programs is the directory with initdb and postgres, the newest if there are
// several.
func programs() (string, error) {
	var dirs []string
	for _, name := range []string{"initdb", "postgres"} {
		if path, err := exec.LookPath(name); err == nil {
			if real, err := filepath.EvalSymlinks(path); err == nil {
				dirs = append(dirs, filepath.Dir(real))
			}
		}
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	installed, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	others, _ := filepath.Glob("/usr/pgsql-*/bin")
	installed = append(installed, others...)
	slices.Sort(installed)
	slices.Reverse(installed)
	for _, dir := range append(dirs, installed...) {
		if executable(filepath.Join(dir, "initdb")) && executable(filepath.Join(dir, "postgres")) {
			return dir, nil
		}
	}
	return "", errors.New("initdb and postgres are not installed (looked in PATH, pg_config --bindir, /usr/lib/postgresql and /usr/pgsql-*)")
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// ordinaryUser says as whom to run the server: it refuses to run as root. The
// directory becomes that user's.
func ordinaryUser(dir string) (*syscall.SysProcAttr, error) {
	// A group of its own, so that a Ctrl-C for the tests leaves the end to guard.
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() != 0 {
		return attr, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return attr, os.Chown(dir, int(uid), int(gid))
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

// initdb makes the cluster. Its order of text is a language's, if it can be, as
// in most real databases: a statement that forgets to ask for the order of bytes
// shows then.
func initdb(bin, dir, data string, attr *syscall.SysProcAttr) error {
	base := []string{"--pgdata=" + data, "--username=" + superuser, "--auth=trust", "--encoding=UTF8", "--no-sync", "--no-instructions"}
	var out []byte
	var err error
	for _, locale := range [][]string{{"--locale=C", "--locale-provider=icu", "--icu-locale=en"}, {"--locale=C"}} {
		cmd := exec.Command(filepath.Join(bin, "initdb"), append(base, locale...)...)
		cmd.Dir, cmd.SysProcAttr, cmd.Env = dir, attr, environment()
		if out, err = cmd.CombinedOutput(); err == nil {
			return nil
		}
		if err := os.RemoveAll(data); err != nil {
			return err
		}
	}
	return fmt.Errorf("initdb: %w: %s", err, out)
}

// serve starts the server under its guard.
func serve(bin, dir, data string, attr *syscall.SysProcAttr) error {
	log, err := os.OpenFile(filepath.Join(dir, "log"), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("/bin/sh", "-c", guard, "sh", filepath.Join(bin, "postgres"), dir,
		"-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "unix_socket_permissions=0700", "-c", "max_connections=300")
	cmd.Dir, cmd.SysProcAttr, cmd.Env = dir, attr, environment()
	cmd.Stdout, cmd.Stderr = log, log
	if _, err := cmd.StdinPipe(); err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	// Waiting keeps our end of the pipe, which would be closed if nobody
	// referred to it.
	go func() { _ = cmd.Wait() }()
	return nil
}

// environment is this process's without what would turn PostgreSQL elsewhere.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "PG") })
}

// awaitServer connects until the server answers.
func awaitServer(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	for {
		c, err := pgx.Connect(ctx, address)
		if err == nil {
			return c.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
