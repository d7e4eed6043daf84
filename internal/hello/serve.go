package hello

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// shownBytes limits what /file and /fetch pass on: they show, they do not serve
// devices without an end.
const shownBytes = 16 << 20

// serve answers HTTP until it is told to stop, which is a success.
func (p *program) serve(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	port := flags.String("port", "", "")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return usageError("serve takes only --port N")
	}
	for _, p := range []string{os.Getenv("PORT"), "80"} {
		if *port == "" {
			*port = p
		}
	}
	if n, err := strconv.ParseUint(*port, 10, 16); err != nil {
		return usageError(fmt.Sprintf("serve: %q is not a port", *port))
	} else {
		*port = strconv.FormatUint(n, 10)
	}
	listener, err := net.Listen("tcp", ":"+*port)
	if err != nil {
		return err
	}

	server := &http.Server{Handler: p.site(), ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan struct{})
	stop := func() {
		// What is under way may finish, shortly; a peer that dawdles may not
		// hold up the end of the container.
		ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
		select {
		case <-stopped:
		default:
			close(stopped)
		}
	}
	p.stop.Store(&stop)
	defer p.stop.Store(nil)

	fmt.Fprintf(p.out, "listening on %s\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	<-stopped
	fmt.Fprintln(p.out, "stopped")
	return nil
}

// site is the pages of serve; each request is one line of the log.
func (p *program) site() http.Handler {
	var health atomic.Int64
	health.Store(http.StatusOK)
	host, _ := os.Hostname()

	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "Hello from ludgate/hello on %s.\n", host)
	})
	mux.HandleFunc("GET /env", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, strings.Join(os.Environ(), "\n"))
	})
	mux.HandleFunc("GET /file", func(w http.ResponseWriter, r *http.Request) {
		showFile(w, r.FormValue("path"))
	})
	mux.HandleFunc("GET /fetch", func(w http.ResponseWriter, r *http.Request) {
		showPage(w, r)
	})
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) {
		status := int(health.Load())
		w.WriteHeader(status)
		fmt.Fprintln(w, http.StatusText(status))
	})
	mux.HandleFunc("POST /health", func(w http.ResponseWriter, r *http.Request) {
		status, err := strconv.Atoi(r.FormValue("status"))
		if err != nil || status < 200 || status > 599 {
			http.Error(w, "status must be a number from 200 to 599", http.StatusBadRequest)
			return
		}
		health.Store(int64(status))
		fmt.Fprintf(w, "health is now %d\n", status)
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		logged := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		mux.ServeHTTP(logged, r)
		fmt.Fprintf(p.out, "%s %s %d\n", r.Method, r.URL.Path, logged.status)
	})
}

// showFile sends a file, or the names in a directory.
func showFile(w http.ResponseWriter, path string) {
	if path == "" {
		http.Error(w, "path is missing", http.StatusBadRequest)
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		status := http.StatusInternalServerError
		if errors.Is(err, os.ErrNotExist) {
			status = http.StatusNotFound
		} else if errors.Is(err, os.ErrPermission) {
			status = http.StatusForbidden
		}
		http.Error(w, err.Error(), status)
		return
	}
	if info.IsDir() {
		entries, err := os.ReadDir(path)
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		for _, e := range entries {
			fmt.Fprintln(w, e.Name())
		}
		return
	}
	f, err := os.Open(path)
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	defer f.Close()
	// The status is out by now; a failing read ends the body early.
	_, _ = io.Copy(w, io.LimitReader(f, shownBytes))
}

// showPage asks for a page from inside and passes on its status and body.
func showPage(w http.ResponseWriter, r *http.Request) {
	url := r.FormValue("url")
	if url == "" {
		http.Error(w, "url is missing", http.StatusBadRequest)
		return
	}
	req, err := http.NewRequestWithContext(r.Context(), http.MethodGet, url, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	resp, err := client.Do(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, io.LimitReader(resp.Body, shownBytes)) // as in showFile
}

// statusWriter remembers the status for the log.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
