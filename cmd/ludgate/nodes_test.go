package main

import (
	"fmt"
	"os"
	"testing"
	"time"

	"ludgate/internal/store/postgres/pgtest"
)

// TestNodesHearOfEachOther: two servers on one database. What one of them takes
// back (a ban, a deletion) or decides for a title holds on the other one a moment
// later; the promise is two seconds, and a busy machine is given more.
func TestNodesHearOfEachOther(t *testing.T) {
	if os.Getenv(pgtest.Env) == "" {
		t.Skipf("needs PostgreSQL: set %s", pgtest.Env)
	}
	const patience = 10 * time.Second
	nodes := startNodes(t, 2)
	one, two, secret := nodes[0].process, nodes[1].process, nodes[0].caller.Secret
	post := func(p *process, path, body string, headers ...string) (int, map[string]any) {
		t.Helper()
		return p.call("POST", path, body, append(headers, "Content-Type", "application/json")...)
	}
	register := func(name string) (id, session, entity string) {
		t.Helper()
		status, v := post(one, "/Client/RegisterPlatformUser",
			fmt.Sprintf(`{"TitleId":%q,"Username":%q,"Password":"correct horse","RequireBothUsernameAndEmail":false}`, historyTitle, name))
		if status != 200 {
			t.Fatalf("register: %d %v", status, v)
		}
		token, _ := v["EntityToken"].(map[string]any)
		return v["PlatformId"].(string), v["SessionTicket"].(string), token["EntityToken"].(string)
	}
	// until asks the second server until it answers with the error, and says how
	// long that took.
	until := func(what, wanted, path, body string, headers ...string) {
		t.Helper()
		began := time.Now()
		for {
			_, v := post(two, path, body, headers...)
			if got, _ := v["error"].(string); got == wanted {
				t.Logf("%s: known on the other node after %v", what, time.Since(began).Round(time.Millisecond))
				return
			}
			if time.Since(began) > patience {
				t.Fatalf("%s: the other node still answers %v", what, v)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	administer := func(path, body string) {
		t.Helper()
		if status, v := post(one, path, body, "X-SecretKey", secret); status != 200 {
			t.Fatalf("%s: %d %v", path, status, v)
		}
	}

	id, session, entity := register("ann")
	if status, v := post(two, "/Client/GetAccountInfo", `{}`, "X-Authorization", session); status != 200 {
		t.Fatalf("a ticket of the first node on the second: %d %v", status, v)
	}
	administer("/Admin/BanUsers", `{"Bans":[{"PlatformId":"`+id+`"}]}`)
	until("a ban, by ticket", "NotAuthenticated", "/Client/GetAccountInfo", `{}`, "X-Authorization", session)
	until("a ban, by entity token", "EntityTokenRevoked", "/Authentication/GetEntityToken", `{}`, "X-EntityToken", entity)
	signIn := fmt.Sprintf(`{"TitleId":%q,"Username":"ann","Password":"correct horse"}`, historyTitle)
	until("a ban, by sign-in", "AccountBanned", "/Client/LoginWithPlatform", signIn)
	administer("/Admin/RevokeAllBansForUser", `{"PlatformId":"`+id+`"}`)
	if status, v := post(two, "/Client/LoginWithPlatform", signIn); status != 200 {
		t.Errorf("after the ban: %d %v", status, v)
	}

	id, session, _ = register("ben")
	administer("/Admin/DeletePlayer", `{"PlatformId":"`+id+`"}`)
	until("a deletion", "NotAuthenticated", "/Client/GetAccountInfo", `{}`, "X-Authorization", session)

	_, session, _ = register("cat")
	administer("/Admin/UpdatePolicy", `{"PolicyName":"ApiPolicy","PolicyVersion":0,"Statements":[
		{"Resource":"pfrn:api--/Client/GetTitleData","Action":"*","Principal":"*","Effect":"Deny"}]}`)
	until("a policy", "NotAuthorizedByTitle", "/Client/GetTitleData", `{}`, "X-Authorization", session)
}
