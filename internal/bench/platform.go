package bench

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"ludgate/internal/streaming/platform"
)

// streamingPlatform is the streaming platform that the run's own servers ask. It is in
// this process, because in production it is somebody else's machine and must not
// count as the server's work.
type streamingPlatform struct {
	*platform.Platform
	validateURL string
	server      *http.Server
	keys        string
}

// startPlatform starts it on a free port of this machine.
func startPlatform() (*streamingPlatform, error) {
	keys, err := os.MkdirTemp("", "ludgate-bench-platform-")
	if err != nil {
		return nil, err
	}
	p, err := platform.New(keys, time.Now)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(keys))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(keys))
	}
	s := &streamingPlatform{
		Platform: p, keys: keys, validateURL: "http://" + l.Addr().String() + platform.ValidatePath,
		server: &http.Server{Handler: p, ReadHeaderTimeout: requestTimeout, ErrorLog: log.New(io.Discard, "", 0)}, // connections cut at the end
	}
	go func() { _ = s.server.Serve(l) }() // ends with close; sign-ins fail if it ends before
	return s, nil
}

func (s *streamingPlatform) close() error {
	return errors.Join(s.server.Close(), os.RemoveAll(s.keys))
}

// mint makes a token of a user.
func (s *streamingPlatform) mint(_ *conn, user string) (string, error) {
	return s.Mint(platform.MintRequest{UserID: user, Login: "u" + user})
}

// mintThere has the platform of a development server make a token.
func mintThere(c *conn, user string) (string, error) {
	var t struct {
		AccessToken string `json:"access_token"`
	}
	err := c.json(request{"POST", "/dev/streaming/token", "", fmt.Sprintf(`{"user_id":%q,"login":"u%s"}`, user, user)}, &t, 200)
	return t.AccessToken, err
}
