package directory

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"ludgate/internal/store"
)

// TestCreateReply holds the reply to a creation in both namings, byte for byte.
func TestCreateReply(t *testing.T) {
	body := office("ops", J{"description": `Say "hi"`, "theme": "Teal", "classification": "Low", "preferredDataLocation": "EUR"})
	const members = `"deletedDateTime":null,"classification":"Low","createdDateTime":"2026-03-04T04:06:07Z","description":"Say \"hi\"","displayName":"Group ops",` +
		`"expirationDateTime":null,"groupTypes":["Unified"],"isAssignableToRole":null,"mail":"n-ops@studio.example","mailEnabled":true,"mailNickname":"n-ops",` +
		`"membershipRule":null,"membershipRuleProcessingState":null,"onPremisesDomainName":null,"onPremisesLastSyncDateTime":null,"onPremisesNetBiosName":null,` +
		`"onPremisesSamAccountName":null,"onPremisesSecurityIdentifier":null,"onPremisesSyncEnabled":null,"preferredDataLocation":"EUR","preferredLanguage":null,` +
		`"proxyAddresses":["SMTP:n-ops@studio.example"],"renewedDateTime":"2026-03-04T04:06:07Z","securityEnabled":false,"securityIdentifier":"SID","theme":"Teal",` +
		`"uniqueName":"ops","visibility":"Public","onPremisesProvisioningErrors":[],"serviceProvisioningErrors":[]`
	for name, c := range map[string]struct {
		f    *fixture
		path string
		more string
	}{
		"neutral":                   {start(t), "/v1.0", `,"apiVersion":"v1.0","type":"Vendor.Graph/groups"`},
		"neutral beta":              {start(t), "/beta", `,"apiVersion":"v1.0","type":"Vendor.Graph/groups"`},
		"neutral without a prefix":  {start(t), "", `,"apiVersion":"v1.0","type":"Vendor.Graph/groups"`},
		"vendor":                    {startStrict(t), "/v1.0", ``},
		"vendor beta, in any case ": {startStrict(t), "/beta", ``},
	} {
		t.Run(name, func(t *testing.T) {
			a := c.f.send("POST", c.path+"/groups", body)
			a.t = t
			a.want(201)
			id := a.id()
			want := `{"@odata.context":"` + c.f.URL + c.path + `/$metadata#groups/$entity","id":"` + id + `",` +
				strings.Replace(members, "SID", string(appendSecurityIdentifier(nil, id)), 1) + c.more + `}`
			if a.body != want {
				t.Errorf("got  %s\nwant %s", a.body, want)
			}
			if got := a.header.Get("Location"); got != c.f.URL+c.path+"/groups/"+id {
				t.Errorf("Location: %s", got)
			}
			if a.header.Get("Content-Type") != "application/json; charset=utf-8" || a.header.Get("request-id") == "" || a.header.Get("client-request-id") == "" {
				t.Errorf("headers: %v", a.header)
			}
		})
	}
	if a := startStrict(t).send("POST", "/groups", body); a.status != 404 {
		t.Errorf("the public directory has no tree without a prefix: %d %s", a.status, a.body)
	}
}

// TestSingleRead: which properties only the read of one group has (D-1.R3).
func TestSingleRead(t *testing.T) {
	single := J{"allowExternalSenders": false, "autoSubscribeNewMembers": false, "hideFromAddressLists": false, "hideFromOutlookClients": false,
		"isSubscribedByMail": true, "unseenCount": 0.0, "assignedLabels": []any{}, "assignedLicenses": []any{}, "licenseProcessingState": nil,
		"isArchived": nil, "isManagementRestricted": nil}
	f := start(t)
	made := f.send("POST", "/v1.0/groups", security("x")).want(201)
	want := made.object()
	for k, v := range single {
		if _, has := want[k]; has {
			t.Errorf("the reply to a creation has %s", k)
		}
		want[k] = v
	}
	for _, path := range []string{"/v1.0/groups/" + made.id(), "/v1.0/groups/" + strings.ToUpper(made.id()), "/V1.0/Groups(uniqueName='x')", "/v1.0/groups/(uniquename='X')", "/v1.0/groups('" + made.id() + "')"} {
		if got := f.send("GET", path, "").want(200).object(); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %v\nwant %v", path, got, want)
		}
	}
	if _, has := want["hasMembersWithLicenseErrors"]; has {
		t.Error("hasMembersWithLicenseErrors is returned")
	}
	if got := f.send("GET", "/groups/"+made.id(), "").want(200).object()["@odata.context"]; got != f.URL+"/$metadata#groups/$entity" {
		t.Errorf("context without a prefix: %v", got)
	}
	s := startStrict(t)
	made = s.send("POST", "/v1.0/groups", security("x")).want(201)
	if got := s.read(made.id()); !reflect.DeepEqual(got, made.object()) {
		t.Errorf("strict, nothing selected:\ngot  %v\nwant %v", got, made.object())
	}
}

func TestSelect(t *testing.T) {
	for naming, f := range map[string]*fixture{"neutral": start(t), "strict": startStrict(t)} {
		id := f.create(security("x"))
		for query, want := range map[string]string{
			"$select=id,displayName": `{"@odata.context":"BASE/v1.0/$metadata#groups(id,displayName)/$entity","id":"` + id + `","displayName":"Group x"}`,
			"$select=visibility,%20unseenCount,isSubscribedByMail": `{"@odata.context":"BASE/v1.0/$metadata#groups(visibility,unseenCount,isSubscribedByMail)/$entity",` +
				`"visibility":"Private","isSubscribedByMail":true,"unseenCount":0}`,
			"select=ID":                           `{"@odata.context":"BASE/v1.0/$metadata#groups(id)/$entity","id":"` + id + `"}`,
			"%24select=id,id&mine=1":              `{"@odata.context":"BASE/v1.0/$metadata#groups(id)/$entity","id":"` + id + `"}`,
			"$select=hasMembersWithLicenseErrors": `{"@odata.context":"BASE/v1.0/$metadata#groups(hasMembersWithLicenseErrors)/$entity"}`,
			"$select=":                            ``,
			"$select=id,":                         ``,
			"$select=nothing":                     ``,
			"$select=id&$select=mail":             ``,
			"$select=id&select=mail":              ``,
			"$select=id&$expand=members":          ``,
			"$expand=members":                     ``,
			"$filter=id eq 'x'":                   ``,
			"filter=x":                            ``,
			"$top=1":                              ``,
			"$format=json":                        ``,
		} {
			a := f.send("GET", "/v1.0/groups/"+id+"?"+strings.ReplaceAll(query, " ", "%20"), "")
			if want != "" {
				if a.status != 200 || a.body != strings.Replace(want, "BASE", f.URL, 1) {
					t.Errorf("%s %s: got %d %s", naming, query, a.status, a.body)
				}
				continue
			}
			if code, _, _ := a.failure(); a.status != 400 || code != "Request_UnsupportedQuery" {
				t.Errorf("%s %s: got %d %s", naming, query, a.status, a.body)
			}
		}
		if a := f.send("GET", "/v1.0/groups/"+id+"?$select=%zz", ""); a.status != 400 {
			t.Errorf("%s: malformed: %d %s", naming, a.status, a.body)
		}
		all := f.send("GET", "/v1.0/groups/"+id+"?$select=*,unseenCount", "").want(200).object()
		if all["unseenCount"] == nil || all["visibility"] == nil || all["isSubscribedByMail"] != nil {
			t.Errorf("%s: star and one: %v", naming, all)
		}
		if a := f.send("GET", "/v1.0/groups/"+id+"?$select=type", ""); (a.status == 200) != (naming == "neutral") {
			t.Errorf("%s: type: %d %s", naming, a.status, a.body)
		}
		for _, method := range []string{"POST", "PATCH", "DELETE"} {
			path := "/v1.0/groups"
			if method != "POST" {
				path += "/" + id
			}
			if a := f.send(method, path+"?$select=id", security("y")); a.status != 400 {
				t.Errorf("%s %s?$select: %d %s", naming, method, a.status, a.body)
			}
		}
	}
}

// TestUpsert: 201 with the group when it is made, 204 when it is updated.
func TestUpsert(t *testing.T) {
	for naming, f := range map[string]*fixture{"neutral": start(t), "strict": startStrict(t)} {
		body := security("ops", J{"uniqueName": gone{}})
		if a := f.send("PATCH", byName("ops"), body); a.status != 404 {
			t.Errorf("%s: without the header: %d %s", naming, a.status, a.body)
		}
		made := f.upsert("ops", body).want(201)
		if m := made.object(); m["uniqueName"] != "ops" || m["displayName"] != "Group ops" {
			t.Errorf("%s: made %s", naming, made.body)
		}
		if a := f.upsert("ops", body); a.status != 204 || a.body != "" || a.header.Get("Content-Type") != "" {
			t.Errorf("%s: again: %d %q %v", naming, a.status, a.body, a.header)
		}
		if a := f.upsert("OPS", `{"displayName":"Second","uniqueName":"Ops","description":null}`); a.status != 204 {
			t.Errorf("%s: change: %d %s", naming, a.status, a.body)
		}
		if m := f.read(made.id()); m["displayName"] != "Second" || m["uniqueName"] != "ops" {
			t.Errorf("%s: changed %v", naming, m)
		}
		if a := f.send("PATCH", byName("ops"), `{"displayName":"Third"}`); a.status != 204 {
			t.Errorf("%s: plain: %d %s", naming, a.status, a.body)
		}
		a := f.upsert("ops", `{"uniqueName":"other"}`)
		if _, _, target := a.failure(); a.status != 400 || target != "uniqueName" {
			t.Errorf("%s: two names: %d %s", naming, a.status, a.body)
		}
		a = f.upsert("new", `{"displayName":"New"}`)
		if _, message, _ := a.failure(); a.status != 400 || message != "A value is required for property 'mailEnabled' of resource 'Group'." {
			t.Errorf("%s: incomplete: %d %s", naming, a.status, a.body)
		}
		// The preference may stand among others; it does nothing for an id.
		if a := f.send("PATCH", byName("new"), security("new", J{"uniqueName": nil}), "Prefer", `return=minimal, CREATE-if-missing; x=1`); a.status != 201 {
			t.Errorf("%s: among others: %d %s", naming, a.status, a.body)
		}
		if a := f.send("PATCH", "/v1.0/groups/"+tenant, security("z"), "Prefer", "create-if-missing"); a.status != 404 {
			t.Errorf("%s: by id: %d %s", naming, a.status, a.body)
		}
	}
}

// TestKeys: the ways in which clients write a uniqueName into a path.
func TestKeys(t *testing.T) {
	f := start(t)
	const name = `my 'grp'/x, é(1)`
	id := f.create(security("k", J{"uniqueName": name}))
	for _, path := range []string{
		`/v1.0/groups(uniqueName='my%20%27grp%27%2Fx%2C%20%C3%A9%281%29')`, // escaped, not doubled
		`/v1.0/groups(uniqueName='my%20%27%27grp%27%27%2Fx,%20%C3%A9(1)')`, // doubled and escaped
		`/v1.0/groups(uniqueName='my%20''grp''%2fx,%20%c3%a9(1)')`,         // doubled
		`/v1.0/groups/(uniqueName='my%20''grp''%2Fx,%20%C3%A9(1)')`,
		`/beta/groups%28uniqueName=%27my%20''grp''%2Fx,%20%C3%A9(1)%27%29`,
		`/groups(UNIQUENAME='MY%20''GRP''%2FX,%20%C3%89(1)')/`,
		`/v1.0/groups(uniqueName='my%20''grp''%2Fx,%20e%CC%81(1)')`,                     // another form of é
		`/v1.0/groups(uniqueName='%EF%BD%8D%EF%BD%99%20''grp''%2Fx,%20%C3%A9(1)')`,      // wide letters
		`/v1.0/groups(uniqueName='my%20''grp''%2Fx%2C%20%C3%A9%281%29')?$select=id&x=1`, //
	} {
		if got := f.send("GET", path, "").want(200).id(); got != id {
			t.Errorf("%s: %s", path, got)
		}
	}
	for _, path := range []string{
		"/v1.0/groups/x", "/v1.0/groups/()", "/v1.0/groups(uniqueName=x)", "/v1.0/groups(uniqueName='x'", "/v1.0/groups('x')", "/v1.0/groups(id='x')",
		"/v1.0/groups(displayName='x')", "/v1.0/groups(uniqueName=')", "/v1.0/groups/$count", "/v1.0/groups/delta", "/v1.0/groups/" + id[:35], "/v1.0/groups/{" + id + "}",
	} {
		a := f.send("GET", path, "")
		if _, message, _ := a.failure(); a.status != 400 || !strings.HasPrefix(message, "Invalid object identifier '") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	if a := f.send("GET", "/v1.0/groups/abc", ""); !strings.Contains(a.body, `"Invalid object identifier 'abc'."`) {
		t.Errorf("got %s", a.body)
	}
	for path, name := range map[string]string{
		"/v1.0/groups(uniqueName='none')": "none", "/v1.0/groups(uniqueName='')": "", "/v1.0/groups/" + tenant: tenant,
		"/v1.0/groups(uniqueName='" + strings.Repeat("a", 257) + "')": strings.Repeat("a", 256) + "…",
	} {
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			a := f.send(method, path, "{}")
			code, message, _ := a.failure()
			want := "Resource '" + name + "' does not exist or one of its queried reference-property objects are not present."
			if a.status != 404 || code != "Request_ResourceNotFound" || message != want {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			}
		}
	}
	for _, path := range []string{"/v1.0/groups(uniqueName='a%00')", "/v1.0/groups(uniqueName='%ff')"} {
		if a := f.send("GET", path, ""); a.status != 400 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	for _, bad := range []string{"", "  ", strings.Repeat("a", 257)} {
		a := f.upsert(bad, security("x", J{"uniqueName": gone{}}))
		if _, _, target := a.failure(); a.status != 400 || target != "uniqueName" {
			t.Errorf("%q: %d %s", bad, a.status, a.body)
		}
	}
}

// TestDelete: a deleted group is nowhere, and keeps its names.
func TestDelete(t *testing.T) {
	f := start(t)
	id := f.create(office("gone"))
	f.now = f.now.Add(time.Hour)
	if a := f.send("DELETE", byName("gone"), "", "Prefer", "create-if-missing"); a.status != 204 || a.body != "" {
		t.Fatalf("delete: %d %s", a.status, a.body)
	}
	for _, path := range []string{byName("gone"), "/v1.0/groups/" + id} {
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			if a := f.send(method, path, "{}"); a.status != 404 {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			}
		}
	}
	for what, a := range map[string]answer{
		"create": f.send("POST", "/v1.0/groups", office("gone", J{"mailNickname": "other"})),
		"upsert": f.upsert("gone", office("gone")),
	} {
		if _, message, target := a.failure(); a.status != 400 || message != "Another object with the same value for property uniqueName already exists." || target != "uniqueName" {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	a := f.send("POST", "/v1.0/groups", office("fresh", J{"mailNickname": "N-GONE"}))
	if _, message, _ := a.failure(); message != "Another object with the same value for property mailNickname already exists." {
		t.Errorf("nickname: %d %s", a.status, a.body)
	}
	var at, rows int64
	err := f.store.Read(t.Context(), func(tx store.Tx) error {
		return tx.Query(store.NewStmt("deleted", `SELECT deleted_at FROM directory_groups`), func(r store.Row) error { at, rows = r.Int(0), rows+1; return nil })
	})
	if err != nil || rows != 1 || at != f.now.Unix() {
		t.Errorf("kept: %d rows, deleted at %d, %v", rows, at, err)
	}
	// By id, and in the tree without a prefix.
	f.send("DELETE", "/groups/"+f.create(security("next")), "").want(204)
}

// TestUpdate: what an update changes, clears and leaves.
func TestUpdate(t *testing.T) {
	f := start(t)
	label := J{"labelId": "45cd0c48-c540-4358-ad79-a3658cdc5b88", "displayName": nil}
	license := J{"skuId": "84A661C4-e949-4bd2-a560-ed7766fcaf2b", "disabledPlans": []string{"11b0131d-43c8-4bbb-b2c8-e80f9a50834a"}}
	id := f.create(office("u"))
	before := f.read(id)
	f.now = f.now.Add(time.Hour)
	path := "/v1.0/groups/" + id
	if a := f.send("PATCH", path, `{}`); a.status != 204 {
		t.Errorf("nothing: %d %s", a.status, a.body)
	}
	change := J{"displayName": "é", "description": "", "classification": "High", "theme": "Red", "preferredLanguage": "pt-BR", "preferredDataLocation": "NAM",
		"visibility": "private", "mailNickname": "renamed", "membershipRuleProcessingState": "Paused", "assignedLabels": []any{label}, "assignedLicenses": []any{license, J{"skuId": license["skuId"]}}}
	if a := f.send("PATCH", path, jsonText(change)); a.status != 204 || a.body != "" {
		t.Fatalf("change: %d %s", a.status, a.body)
	}
	want := map[string]any{}
	for k, v := range before {
		want[k] = v
	}
	for k, v := range change {
		want[k] = v
	}
	want["visibility"], want["mail"], want["proxyAddresses"] = "Private", "renamed@studio.example", []any{"SMTP:renamed@studio.example"}
	want["assignedLabels"] = []any{map[string]any(label)}
	want["assignedLicenses"] = []any{
		map[string]any{"skuId": license["skuId"], "disabledPlans": []any{"11b0131d-43c8-4bbb-b2c8-e80f9a50834a"}},
		map[string]any{"skuId": license["skuId"], "disabledPlans": []any{}},
	}
	if got := f.read(id); !reflect.DeepEqual(got, want) {
		t.Errorf("changed:\ngot  %v\nwant %v", got, want)
	}
	clear := `{"description":null,"classification":null,"theme":null,"preferredLanguage":null,"preferredDataLocation":null,"visibility":null,` +
		`"membershipRuleProcessingState":null,"membershipRule":null,"assignedLabels":null,"assignedLicenses":[]}`
	if a := f.send("PATCH", path, clear); a.status != 204 {
		t.Fatalf("clear: %d %s", a.status, a.body)
	}
	before["displayName"], before["mailNickname"] = "é", "renamed"
	before["mail"], before["proxyAddresses"] = want["mail"], want["proxyAddresses"]
	if got := f.read(id); !reflect.DeepEqual(got, before) {
		t.Errorf("cleared:\ngot  %v\nwant %v", got, before)
	}
	// The old nickname is free, the new one is not.
	f.create(office("v", J{"mailNickname": "n-u"}))
	if a := f.send("PATCH", path, `{"mailNickname":"N-U"}`); a.status != 400 {
		t.Errorf("taken nickname: %d %s", a.status, a.body)
	}
	if a := f.send("PATCH", path, `{"mailNickname":"RENAMED"}`); a.status != 204 || f.read(id)["mail"] != "RENAMED@studio.example" {
		t.Errorf("own nickname: %d %s", a.status, a.body)
	}
}

// TestMailboxProperties: the properties of the single read, by update.
func TestMailboxProperties(t *testing.T) {
	set := `{"allowExternalSenders":true,"autoSubscribeNewMembers":true,"hideFromAddressLists":true,"hideFromOutlookClients":true,"isSubscribedByMail":false,"unseenCount":7}`
	reset := `{"allowExternalSenders":null,"autoSubscribeNewMembers":null,"hideFromAddressLists":null,"hideFromOutlookClients":null,"isSubscribedByMail":null,"unseenCount":null}`
	const query = "?$select=allowExternalSenders,autoSubscribeNewMembers,hideFromAddressLists,hideFromOutlookClients,isSubscribedByMail,unseenCount"
	for naming, f := range map[string]*fixture{"neutral": start(t), "strict": startStrict(t)} {
		made := f.send("POST", "/v1.0/groups", office("m")).want(201)
		path := "/v1.0/groups/" + made.id()
		// 200 with the group as a creation returns it, without these.
		if a := f.send("PATCH", path, set).want(200); a.body != made.body {
			t.Errorf("%s: reply %s\nwant %s", naming, a.body, made.body)
		}
		if got := f.send("GET", path+query, "").want(200).body; !strings.HasSuffix(got, `"allowExternalSenders":true,"autoSubscribeNewMembers":true,"hideFromAddressLists":true,"hideFromOutlookClients":true,"isSubscribedByMail":false,"unseenCount":7}`) {
			t.Errorf("%s: set %s", naming, got)
		}
		f.send("PATCH", byName("m"), reset).want(200)
		if got := f.send("GET", path+query, "").want(200).body; !strings.HasSuffix(got, `"allowExternalSenders":false,"autoSubscribeNewMembers":false,"hideFromAddressLists":false,"hideFromOutlookClients":false,"isSubscribedByMail":true,"unseenCount":0}`) {
			t.Errorf("%s: reset %s", naming, got)
		}
		mixed := f.send("PATCH", path, `{"displayName":"Mixed","unseenCount":2147483647}`)
		if naming == "neutral" {
			if mixed.status != 200 || mixed.object()["displayName"] != "Mixed" {
				t.Errorf("mixed: %d %s", mixed.status, mixed.body)
			}
			f.upsert("m", `{"unseenCount":3}`).want(204)
			a := f.send("POST", "/v1.0/groups", office("m2", J{"unseenCount": 1, "hideFromAddressLists": true, "autoSubscribeNewMembers": nil})).want(201)
			if m := f.read(a.id()); m["unseenCount"] != 1.0 || m["hideFromAddressLists"] != true {
				t.Errorf("at creation: %v", m)
			}
		} else {
			if _, message, _ := mixed.failure(); mixed.status != 400 || message != mailboxAlone {
				t.Errorf("strict, mixed: %d %s", mixed.status, mixed.body)
			}
			a := f.send("POST", "/v1.0/groups", office("m2", J{"unseenCount": 1}))
			if _, _, target := a.failure(); a.status != 400 || target != "unseenCount" {
				t.Errorf("strict, at creation: %d %s", a.status, a.body)
			}
		}
		for _, bad := range []string{`{"unseenCount":-1}`, `{"unseenCount":2147483648}`, `{"unseenCount":1.5}`, `{"unseenCount":"1"}`} {
			a := f.send("PATCH", path, bad)
			if _, message, _ := a.failure(); a.status != 400 || message != "Invalid value specified for property 'unseenCount' of resource 'Group'." {
				t.Errorf("%s: %s: %d %s", naming, bad, a.status, a.body)
			}
		}
		a := f.send("POST", "/v1.0/groups", office("m3", J{"autoSubscribeNewMembers": false}))
		if _, _, target := a.failure(); a.status != 400 || target != "autoSubscribeNewMembers" {
			t.Errorf("%s: autoSubscribeNewMembers at creation: %d %s", naming, a.status, a.body)
		}
	}
}

// TestTenants: a tenant sees its own groups only, and its names are its own.
func TestTenants(t *testing.T) {
	f := start(t)
	id := f.create(office("shared"))
	for _, path := range []string{byName("shared"), "/v1.0/groups/" + id} {
		for _, method := range []string{"GET", "PATCH", "DELETE"} {
			if a := f.send(method, path, `{"displayName":"Stolen"}`, "Caller", "neighbour"); a.status != 404 {
				t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
			}
		}
	}
	f.send("POST", "/v1.0/groups", office("shared"), "Caller", "neighbour").want(201)
	if m := f.read(id); m["displayName"] != "Group shared" {
		t.Errorf("got %v", m)
	}
}

// TestSecurityIdentifier holds the computation against published pairs.
func TestSecurityIdentifier(t *testing.T) {
	for id, want := range map[string]string{
		"21d05557-b7b6-418f-86fa-a3118d751be4": "S-1-12-1-567301463-1099937718-295959174-3827004813",
		"1226170d-83d5-49b8-99ab-d1ab3d91333e": "S-1-12-1-304486157-1236829141-2882644889-1043566909",
		"00000000-0000-0000-0000-000000000001": "S-1-12-1-0-0-0-16777216",
		"ffffffff-ffff-ffff-ffff-ffffffffffff": "S-1-12-1-4294967295-4294967295-4294967295-4294967295",
	} {
		if got := string(appendSecurityIdentifier(nil, id)); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}
