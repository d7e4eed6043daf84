package streaming

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxBody is how much of an answer is read; a real one has about 200 bytes.
const maxBody = 16 << 10

// fault is an answer, or the lack of one, that says nothing about the token.
type fault struct {
	text string
	err  error
	// counts: the platform is to blame, whoever asks. A status that a caller's
	// token could have provoked does not count, or a caller could have the
	// platform left alone for everyone.
	counts bool
}

func (f *fault) Error() string {
	if f.err != nil {
		return f.text + ": " + f.err.Error()
	}
	return f.text
}

func (f *fault) Unwrap() error { return f.err }

// answer is what a platform says about a valid token. An application's token has
// no user. Scopes do not matter here.
type answer struct {
	ClientID  string  `json:"client_id"`
	UserID    string  `json:"user_id"`
	Login     string  `json:"login"`
	ExpiresIn seconds `json:"expires_in"` // 0 on some tokens that are valid all the same
}

// seconds is a number of seconds, nearly always a whole one. Parsing it as a
// float makes the small stack of the goroutine that asks grow.
type seconds float64

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (s *seconds) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil || v.Kind() == 'n' {
		return err
	}
	if v.Kind() != '0' {
		return fmt.Errorf("%q is no number of seconds", v.Kind())
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		*s = seconds(n)
		return nil
	}
	f, err := strconv.ParseFloat(string(v), 64)
	*s = seconds(f)
	return err
}

// request asks about token and reads the answer. good is how long the answer
// holds. An error is a *fault, or says that the token is invalid.
func (v *Validator) request(ctx context.Context, token string) (id Identity, good time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, v.opt.URL, nil)
	if err != nil {
		return id, 0, &fault{text: "make the request", err: err}
	}
	req.Header.Set("Authorization", "OAuth "+token)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "ludgate")
	res, err := v.client.RoundTrip(req)
	if err != nil {
		return id, 0, &fault{"ask the platform", err, true}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case res.StatusCode == http.StatusUnauthorized:
		return id, 0, errToken("the platform refuses it")
	case res.StatusCode != http.StatusOK:
		return id, 0, &fault{text: "the platform answered " + res.Status, counts: res.StatusCode >= 500}
	case err != nil:
		return id, 0, &fault{"read the platform's answer", err, true}
	case len(body) > maxBody:
		return id, 0, &fault{text: fmt.Sprintf("the platform's answer is longer than %d bytes", maxBody), counts: true}
	}
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return id, 0, &fault{"read the platform's answer", err, true}
	}
	if a.ClientID == "" || !storable(a.UserID, 64) || !storable(a.Login, 128) {
		return id, 0, &fault{text: "the platform's answer lacks a client id, or has a user that cannot be one", counts: true}
	}
	good = v.opt.CacheFor
	if left := float64(a.ExpiresIn); left > 0 && left < good.Seconds() {
		good = time.Duration(left * float64(time.Second))
	}
	return Identity{ClientID: a.ClientID, UserID: a.UserID, Login: a.Login}, good, nil
}

// storable reports whether s can be kept: not too long, and no control
// characters.
func storable(s string, most int) bool {
	for _, r := range s {
		if unicode.IsControl(r) {
			return false
		}
	}
	return utf8.RuneCountInString(s) <= most
}
