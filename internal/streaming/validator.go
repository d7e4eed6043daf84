package streaming

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/sync/singleflight"

	"ludgate"
	"ludgate/internal/circuit"
)

// Options configure a Validator. The zero value of a field has the default its
// comment names.
type Options struct {
	URL           string        // where tokens are validated, http or https; required
	Timeout       time.Duration // for one answer, body included; 5 s
	CacheFor      time.Duration // how long a valid answer is remembered; not at all
	CacheSize     int           // answers remembered; 10,000
	MaxConcurrent int           // requests to the platform at a time; 256
	TLS           *tls.Config   // for an https URL; the system's roots
	Clock         ludgate.Clock // time.Now
	Log           *slog.Logger  // slog.Default
}

// Identity is whom a token belongs to.
type Identity struct {
	ClientID string // application the token was issued to
	UserID   string // the user on the platform; never changes
	Login    string // the user's name there; may change, may be ""
}

// Validator asks one platform. It is safe for concurrent use.
type Validator struct {
	opt     Options
	client  *http.Transport // not a Client: that would follow redirects
	calls   singleflight.Group
	slots   chan struct{}
	cache   cache
	breaker circuit.Breaker
}

// New makes a validator. It fails with a sentence when the URL cannot be used.
func New(opt Options) (*Validator, error) {
	u, err := url.Parse(opt.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "" {
		return nil, fmt.Errorf("the streaming platform's validate URL %q is not an absolute http or https URL", opt.URL)
	}
	if opt.Timeout <= 0 {
		opt.Timeout = 5 * time.Second
	}
	if opt.CacheSize <= 0 {
		opt.CacheSize = 10_000
	}
	if opt.MaxConcurrent <= 0 {
		opt.MaxConcurrent = 256
	}
	if opt.Clock == nil {
		opt.Clock = time.Now
	}
	if opt.Log == nil {
		opt.Log = slog.Default()
	}
	return &Validator{
		opt: opt,
		client: &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			TLSClientConfig:        opt.TLS,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // answers are tiny, and a bomb would not be
			MaxIdleConnsPerHost:    64,
			IdleConnTimeout:        time.Minute,
			MaxResponseHeaderBytes: 32 << 10,
		},
		slots: make(chan struct{}, opt.MaxConcurrent),
		cache: cache{size: opt.CacheSize},
	}, nil
}

// Close drops the connections that are kept for later calls.
func (v *Validator) Close() { v.client.CloseIdleConnections() }

// Validate gives the user of token, provided that the platform issued it to the
// application clientID. It fails with InvalidStreamingPlatformToken (1232) when
// the platform refuses the token, when it was issued to another application or
// to an application alone, and when it cannot be a token at all; with
// StreamingPlatformResponseError (1233) when the platform gives no usable answer.
func (v *Validator) Validate(ctx context.Context, token, clientID string) (Identity, error) {
	if !wellFormed(token) {
		return Identity{}, errToken("it is not of the form of a token")
	}
	id, err := v.identify(ctx, token)
	switch {
	case err != nil:
		return Identity{}, err
	case id.ClientID != clientID: // any other application's token would sign in
		return Identity{}, errToken("it was issued to another application")
	case id.UserID == "":
		return Identity{}, errToken("it belongs to an application, not to a user")
	}
	return id, nil
}

// identify gives what the platform, or the memory of a recent answer, says.
func (v *Validator) identify(ctx context.Context, token string) (Identity, error) {
	sum := sha256.Sum256([]byte(token))
	if id, ok := v.cache.get(sum, v.opt.Clock()); ok {
		return id, nil
	}
	// The request belongs to all callers that wait for it, so it ends with none
	// of them; its own time limit ends it.
	answer := v.calls.DoChan(string(sum[:]), func() (any, error) {
		id, good, err := v.ask(context.WithoutCancel(ctx), token)
		if err != nil {
			return Identity{}, err
		}
		if good > 0 {
			now := v.opt.Clock()
			v.cache.put(sum, entry{id, now.Add(good)}, now)
		}
		return id, nil
	})
	select {
	case res := <-answer:
		return res.Val.(Identity), res.Err
	case <-ctx.Done():
		return Identity{}, ctx.Err()
	}
}

// ask sends one request, unless too many are under way or the platform is being
// left alone.
func (v *Validator) ask(ctx context.Context, token string) (Identity, time.Duration, error) {
	select {
	case v.slots <- struct{}{}:
		defer func() { <-v.slots }()
	default:
		return Identity{}, 0, errPlatform(fmt.Errorf("%d requests are waiting for it", v.opt.MaxConcurrent))
	}
	if !v.breaker.Allow(v.opt.Clock()) {
		return Identity{}, 0, errPlatform(errors.New("it has failed several times and is left alone for a moment"))
	}
	ctx, cancel := context.WithTimeout(ctx, v.opt.Timeout)
	defer cancel()
	id, good, err := v.request(ctx, token)
	var faulty *fault
	failed := errors.As(err, &faulty) && faulty.counts
	if v.breaker.Done(v.opt.Clock(), !failed) {
		v.opt.Log.Warn("the streaming platform keeps failing and is left alone for a moment", "error", err)
	}
	if faulty != nil {
		err = errPlatform(faulty)
	}
	return id, good, err
}

// wellFormed reports whether a platform could have issued token: visible ASCII
// of a sane length. Anything else is refused without a request, so that a caller
// cannot provoke strange answers from the platform.
func wellFormed(token string) bool {
	for i := range len(token) {
		if token[i] <= ' ' || token[i] > '~' {
			return false
		}
	}
	return token != "" && len(token) <= 2048
}

func errToken(why string) error {
	return ludgate.Errorf(ludgate.Invalid, "InvalidStreamingPlatformToken", "Invalid streaming platform token").Because(errors.New(why))
}

func errPlatform(cause error) error {
	return ludgate.Errorf(ludgate.Invalid, "StreamingPlatformResponseError", "Streaming platform response error").Because(cause)
}
