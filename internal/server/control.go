package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	neturl "net/url"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate/internal/config"
	"ludgate/internal/player"
	"ludgate/internal/player/operator"
	"ludgate/internal/store"
	"ludgate/internal/wire"
)

// controlName is the socket in the data directory on which a running server
// listens to its operators. Only the owner of the directory can connect, so its
// calls ask for no proof.
const controlName = "control.sock"

// errNoControl: this system has no control socket, or none that long.
var errNoControl = errors.New("no control socket")

// openControl makes the calls of operators, and the socket they come in by where
// a server runs.
func (s *Server) openControl(ops *operator.Service) error {
	s.control = wire.NewEdge(wire.Options{Default: wire.Neutral, BodyTimeout: s.config.Limits.BodyTimeout, MaxBody: s.config.Limits.Body, Log: s.log}, ops.Routes()...)
	if s.offline {
		return nil
	}
	l, err := listenControl(s.config.Data)
	if errors.Is(err, errNoControl) {
		s.note(fmt.Sprintf("control: %v; `ludgate title` and `ludgate player` work only while this server is stopped", err))
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the control socket of the data directory: %w", err)
	}
	s.doors.Control = l
	s.onClose(func() error { l.Close(); return nil }) // before the data directory is given back
	return nil
}

// Control is a way to the calls of operators, with or without a server that
// runs.
type Control struct {
	client *http.Client
	server *Server // of this process, where none runs; else nil
}

// lockWait is how long Operate waits for a server that is about to start or to
// end.
const lockWait = 3 * time.Second

// Operate finds the server that holds the data directory; where there is none, it
// opens the store itself, without listeners and engine. With create, a data
// directory that does not exist is made. Its errors are sentences.
func Operate(ctx context.Context, c config.Config, create bool, stderr io.Writer) (*Control, error) {
	if _, err := os.Stat(c.Data); !create && errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no data directory %s; name the one of your server with --data", c.Data)
	}
	c.Log.Level = "warn"
	for end := time.Now().Add(lockWait); ; {
		if conn, err := dialControl(ctx, c.Data); err == nil {
			conn.Close()
			dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return dialControl(ctx, c.Data) }
			return &Control{client: &http.Client{Transport: &http.Transport{DialContext: dial, MaxIdleConnsPerHost: 16}}}, nil
		}
		s, err := newOffline(ctx, c, stderr)
		switch {
		case err == nil:
			return &Control{client: &http.Client{Transport: inProcess{s.control}}, server: s}, nil
		case !errors.Is(err, store.ErrLocked):
			return nil, err
		case time.Now().After(end):
			return nil, fmt.Errorf("%w. The server there does not answer on its control socket", err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// newOffline opens what the calls of operators stand on, and nothing else.
func newOffline(ctx context.Context, c config.Config, stderr io.Writer) (_ *Server, err error) {
	s := &Server{config: c, log: newLogger(c.Log, stderr), clock: time.Now, namings: namings(c.Namings), offline: true, doors: &listeners{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if s.store, err = s.openStore(ctx); err != nil {
		return nil, err
	}
	if err := store.Migrate(ctx, s.store, player.Areas()...); err != nil {
		return nil, fmt.Errorf("bring the store up to date: %w", err)
	}
	_, err = s.openPlayers(ctx)
	return s, err
}

// Close gives the data directory back, if it was taken.
func (c *Control) Close() error {
	c.client.CloseIdleConnections()
	if c.server != nil {
		return c.server.Close()
	}
	return nil
}

// maxControlReply bounds an answer in bytes.
const maxControlReply = 256 << 20

// Refusal is what a call of an operator was refused with.
type Refusal struct{ Code, Message string }

func (r *Refusal) Error() string { return r.Message }

// Call makes a call: in is sent as JSON, and the answer is read into out, which
// may be nil. A refusal is a *Refusal, whose text is a sentence.
func (c *Control) Call(ctx context.Context, name string, in, out any) error {
	answer, _, err := c.Post(ctx, name, in)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

// Post sends in as JSON, and gives the answer as it is.
func (c *Control) Post(ctx context.Context, name string, in any) ([]byte, http.Header, error) {
	body, err := json.Marshal(in)
	if err != nil {
		return nil, nil, err
	}
	return c.Raw(ctx, name, "application/json", body)
}

// Raw makes a call with a body as it is, and gives the answer as it is.
func (c *Control) Raw(ctx context.Context, name, contentType string, body []byte) ([]byte, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://control"+operator.Path(name), bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := c.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		var asked *neturl.Error // whose text is about an address that means nothing
		if errors.As(err, &asked) {
			err = asked.Err
		}
		return nil, nil, fmt.Errorf("the server ended while it was asked (%w)", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxControlReply))
	if err != nil {
		return nil, nil, fmt.Errorf("the server ended while it answered (%w)", err)
	}
	if resp.StatusCode == http.StatusOK {
		return answer, resp.Header, nil
	}
	var refused struct {
		Error Refusal `json:"error"`
	}
	if json.Unmarshal(answer, &refused, json.MatchCaseInsensitiveNames(true)) != nil || refused.Error.Message == "" {
		return nil, nil, fmt.Errorf("the server answered %s", resp.Status)
	}
	return nil, nil, &refused.Error
}

// inProcess is a transport to a handler of this process.
type inProcess struct{ handler http.Handler }

func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	p.handler.ServeHTTP(w, r)
	return &http.Response{
		StatusCode: w.status, Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)), Header: w.header,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: r,
	}, nil
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
