package history

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
)

// Caller makes calls of one title over HTTP. It is safe for concurrent use.
type Caller struct {
	HTTP   *http.Client
	URL    string // of the server
	Title  string
	Secret string // a secret key of the title
	Coin   string // code of a currency of the title
	// Tokens are access tokens of the users of the streaming platform, by id.
	Tokens map[string]string
}

// errNotSent: the server did not get the call.
var errNotSent = errors.New("the call was not sent")

// errBusy: the server would not take the call now, so it did nothing.
var errBusy = errors.New("the server is busy")

// shout spells a name in another case, which must not matter.
func shout(name string) string {
	if rand.IntN(2) == 0 {
		return strings.ToUpper(name)
	}
	return name
}

// request is what a call looks like on the wire.
func (c *Caller) request(o Op) (path string, body map[string]any) {
	body = map[string]any{}
	names := func() {
		for member, space := range map[string]Space{"Email": Email, "Username": Username, "DisplayName": DisplayName} {
			if o.Names[space] != "" {
				body[member] = shout(o.Names[space])
			}
		}
		body["Password"] = o.Password
	}
	switch o.Kind {
	case Register:
		names()
		body["RequireBothUsernameAndEmail"] = false
		return "/Client/RegisterPlatformUser", body
	case SignInCustom:
		body["CustomId"], body["CreateAccount"] = o.Value, o.Force
		return "/Client/LoginWithCustomID", body
	case SignInStreaming:
		body["AccessToken"], body["CreateAccount"] = c.Tokens[o.Value], o.Force
		return "/Client/LoginWithStreamingPlatform", body
	case SignInUsername:
		body["Username"], body["Password"] = shout(o.Value), o.Password
		return "/Client/LoginWithPlatform", body
	case SignInEmail:
		body["Email"], body["Password"] = shout(o.Value), o.Password
		return "/Client/LoginWithEmailAddress", body
	case LinkCustom:
		body["CustomId"], body["ForceLink"] = o.Value, o.Force
		return "/Client/LinkCustomID", body
	case LinkStreaming:
		body["AccessToken"], body["ForceLink"] = c.Tokens[o.Value], o.Force
		return "/Client/LinkStreamingPlatform", body
	case UnlinkCustom:
		return "/Client/UnlinkCustomID", body
	case UnlinkStreaming:
		return "/Client/UnlinkStreamingPlatform", body
	case Rename:
		body["DisplayName"] = shout(o.Value)
		return "/Client/UpdateUserTitleDisplayName", body
	case AddPassword:
		names()
		return "/Client/AddUsernamePassword", body
	case Own:
		return "/Client/GetAccountInfo", body
	case Find:
		body[map[Space]string{Email: "Email", Username: "Username", DisplayName: "TitleDisplayName"}[o.Space]] = shout(o.Value)
		return "/Admin/GetUserAccountInfo", body
	case Delete:
		body["PlatformId"] = o.ID
		return "/Server/DeletePlayer", body
	case Pay:
		body["PlatformId"], body["VirtualCurrency"] = o.ID, c.Coin
		if o.Coins < 0 {
			body["Amount"] = -o.Coins
			return "/Server/SubtractUserVirtualCurrency", body
		}
		body["Amount"] = o.Coins
		return "/Server/AddUserVirtualCurrency", body
	}
	panic("history: no such call: " + string(o.Kind))
}

// reply is the union of what the calls answer.
type reply struct {
	ErrorCode    int                 `json:"errorCode"`
	Error        string              `json:"error"`
	ErrorDetails map[string][]string `json:"errorDetails"`

	PlatformId    string
	SessionTicket string
	NewlyCreated  bool
	Balance       int
	AccountInfo   *accountInfo
	UserInfo      *accountInfo
}

type accountInfo struct {
	PlatformId    string
	Username      string
	PrivateInfo   struct{ Email string }
	TitleInfo     struct{ DisplayName string }
	CustomIdInfo  struct{ CustomId string }
	StreamingInfo struct{ StreamingId string }
}

// Do makes a call. ticket is the session ticket of the calling player, and comes
// back new from sign-ins. The error is errNotSent, errBusy, or an answer that
// no server may give; an answer that did not come is Lost.
func (c *Caller) Do(ctx context.Context, o Op, ticket string) (a Answer, newTicket string, err error) {
	path, body := c.request(o)
	status, raw, err := c.Post(ctx, path, ticket, body)
	var dial *net.OpError
	switch {
	case errors.As(err, &dial) && dial.Op == "dial":
		return a, "", errNotSent
	case err != nil:
		return Answer{Lost: true}, "", nil
	}
	var r reply
	err = json.Unmarshal(raw, &r)
	if err == nil && status == http.StatusServiceUnavailable && r.Error == "ServiceUnavailable" {
		return a, "", errBusy
	}
	if err != nil || status >= 500 || (status == http.StatusOK) != (r.Error == "") {
		return a, "", fmt.Errorf("%s was answered with %d %s", o, status, raw)
	}
	if r.Error != "" {
		a.Error = r.Error
		for member, space := range map[string]Space{"Email": Email, "Username": Username, "DisplayName": DisplayName} {
			a.Taken[space] = r.Error == takenErrors[space] && o.Kind != Rename || len(r.ErrorDetails[member]) > 0
		}
		return a, "", nil
	}
	switch o.Kind {
	case Register, SignInCustom, SignInStreaming, SignInUsername, SignInEmail:
		a.ID, a.Created = r.PlatformId, r.NewlyCreated
	case Own:
		a.ID, a.Names, err = r.AccountInfo.names()
	case Find:
		a.ID, a.Names, err = r.UserInfo.names()
	case Pay:
		a.Balance = r.Balance
	}
	return a, r.SessionTicket, err
}

func (i *accountInfo) names() (string, Names, error) {
	if i == nil {
		return "", Names{}, errors.New("an answer lacks the account")
	}
	n := Names{i.PrivateInfo.Email, i.Username, i.TitleInfo.DisplayName, i.StreamingInfo.StreamingId, i.CustomIdInfo.CustomId}
	for k := range n {
		n[k] = strings.ToLower(n[k])
	}
	return i.PlatformId, n, nil
}

// Post makes any call, with the ticket or, without one, as a server.
func (c *Caller) Post(ctx context.Context, path, ticket string, body map[string]any) (status int, raw []byte, err error) {
	if strings.HasPrefix(path, "/Client/") {
		body["TitleId"] = c.Title // most ignore it
	}
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.URL+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if ticket != "" {
		req.Header.Set("X-Authorization", ticket)
	}
	if !strings.HasPrefix(path, "/Client/") {
		req.Header.Set("X-SecretKey", c.Secret)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	raw, err = io.ReadAll(resp.Body)
	return resp.StatusCode, raw, err
}
