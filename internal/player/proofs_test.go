package player

import (
	"strings"
	"testing"
	"time"

	"ludgate/internal/wire"
)

// The refusals of calls that need a proof.
var (
	anonymous    = refusal{name: "NotAuthenticated", number: "1074", message: "This API method does not allow anonymous callers.", status: 401}
	badTicket    = refusal{name: "NotAuthenticated", number: "1074", message: "X-Authentication HTTP header contains invalid ticket", status: 401}
	badEntity    = refusal{name: "EntityTokenInvalid", number: "1335", message: "EntityTokenInvalid", status: 401}
	oldEntity    = refusal{name: "EntityTokenExpired", number: "1336", message: "EntityTokenExpired", status: 401}
	badSecretKey = refusal{name: "NotAuthorized", number: "1089", message: "Not authorized", status: 401}
	notYours     = refusal{name: "NotAuthorizedByTitle", number: "1191", message: "Action not authorized by title", status: 403, everywhere: true}
)

// proof is what a sign-in gave a player.
type proof struct {
	id, session, entity, account string
}

func (f *fixture) proofOf(userID string) proof {
	f.t.Helper()
	in := f.result(f.signIn(obj{"TitleId": "ABCDE", "AccessToken": f.token(userID, "ann"), "CreateAccount": true}))
	token := in["EntityToken"].(map[string]any)
	return proof{
		id: in[f.word("PlatformId")].(string), session: in["SessionTicket"].(string),
		entity: token["EntityToken"].(string), account: token["Entity"].(map[string]any)["Id"].(string),
	}
}

func (f *fixture) entityToken(body obj, h headers) answer {
	f.t.Helper()
	return f.post("/Authentication/GetEntityToken", body.text(), h)
}

func TestGetEntityToken(t *testing.T) {
	bothNamings(t, func(t *testing.T, n *wire.Naming) {
		f := newFixture(t, setup{naming: n})
		p := f.proofOf("42")
		f.clock.advance(time.Hour)
		master := obj{"Entity": obj{"Id": p.id, "Type": "master_player_account"}}
		masterToken := f.result(f.entityToken(master, headers{"X-Authorization": p.session}))["EntityToken"].(string)
		for _, tc := range []struct {
			what, id, typ string
			body          obj
			headers       headers
		}{
			{"ticket", p.account, "title_player_account", obj{}, headers{"X-Authorization": p.session}},
			{"ticket in the other header", p.account, "title_player_account", obj{}, headers{"X-Authentication": p.session}},
			{"entity token", p.account, "title_player_account", obj{"Entity": nil}, headers{"X-EntityToken": p.entity}},
			{"entity token of the master account", p.id, "master_player_account", obj{}, headers{"X-EntityToken": masterToken}},
			{"the master account", p.id, "master_player_account", master, headers{"X-Authorization": p.session}},
			{"the title account", p.account, "title_player_account", obj{"Entity": obj{"Id": p.account, "Type": "title_player_account"}}, headers{"X-EntityToken": masterToken}},
			{"by id alone", p.id, "master_player_account", obj{"Entity": obj{"Id": p.id}}, headers{"X-Authorization": p.session}},
			{"by the deprecated member", p.id, "master_player_account", obj{"Entity": obj{"Id": p.id, "TypeString": "master_player_account"}}, headers{"X-Authorization": p.session}},
			{"in the title of the host name", p.account, "title_player_account", obj{}, headers{"X-Authorization": p.session, "Host": "abcde.play.example"}},
		} {
			a := f.entityToken(tc.body, tc.headers)
			got := f.result(a)
			token, _ := got["EntityToken"].(string)
			entity, _ := got["Entity"].(map[string]any)
			if entity["Id"] != tc.id || entity["Type"] != tc.typ || got["TokenExpiration"] != "2026-03-05T06:06:07.89Z" || (entity["TypeString"] == tc.typ) != (n == wire.Vendor) {
				t.Errorf("%s: %s", tc.what, a.body)
			}
			if c, err := f.service.gate.CheckEntityToken(token); err != nil || c.Player != p.id || c.ID(c.Type) != tc.id {
				t.Errorf("%s: token of %+v (%v)", tc.what, c, err)
			}
		}

		other := f.proofOf("43")
		for _, tc := range []struct {
			what    string
			body    obj
			headers headers
			want    refusal
		}{
			{"no proof", obj{}, nil, anonymous},
			{"made-up ticket", obj{}, headers{"X-Authorization": "abc"}, badTicket},
			{"changed ticket", obj{}, headers{"X-Authorization": p.session[:len(p.session)-2] + "AA"}, badTicket},
			{"another's id on the ticket", obj{}, headers{"X-Authorization": strings.Replace(p.session, p.id, other.id, 1)}, badTicket},
			{"entity token as a ticket", obj{}, headers{"X-Authorization": p.entity}, badTicket},
			{"bad ticket beside a good entity token", obj{}, headers{"X-Authorization": "abc", "X-EntityToken": p.entity}, badTicket},
			{"made-up entity token", obj{}, headers{"X-EntityToken": "abc"}, badEntity},
			{"ticket as an entity token", obj{}, headers{"X-EntityToken": p.session}, badEntity},
			{"secret key", obj{}, headers{"X-SecretKey": "abc"}, badSecretKey},
			{"another player", obj{"Entity": obj{"Id": other.account, "Type": "title_player_account"}}, headers{"X-Authorization": p.session}, notYours},
			{"the title", obj{"Entity": obj{"Id": "ABCDE", "Type": "title"}}, headers{"X-Authorization": p.session}, notYours},
			{"own id, another type", obj{"Entity": obj{"Id": p.id, "Type": "title_player_account"}}, headers{"X-Authorization": p.session}, notYours},
			{"no id", obj{"Entity": obj{"Type": "title"}}, headers{"X-Authorization": p.session},
				refusal{name: "InvalidParams", number: "1000", message: "Invalid input parameters", details: `{"Entity":["The Id field is required."]}`}},
			{"another title in the host name", obj{}, headers{"X-Authorization": p.session, "Host": "fff.play.example"}, titleOfHost},
		} {
			f.refused(tc.what, f.entityToken(tc.body, tc.headers), tc.want)
		}
		f.clock.advance(23 * time.Hour)
		f.refused("expired ticket", f.entityToken(obj{}, headers{"X-Authorization": p.session}), badTicket)
		f.refused("expired entity token", f.entityToken(obj{}, headers{"X-EntityToken": p.entity}), oldEntity)
		f.result(f.entityToken(obj{}, headers{"X-EntityToken": masterToken})) // one hour younger
	})
}

// TestCheckTicket: the check that other calls of a player make.
func TestCheckTicket(t *testing.T) {
	f := newFixture(t, setup{})
	_, err := f.service.gate.CheckTicket("")
	if e := err.Error(); e != "NotAuthenticated: Missing or invalid X-Authentication HTTP header" {
		t.Errorf("no ticket: %v", e)
	}
}
