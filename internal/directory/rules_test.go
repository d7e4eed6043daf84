package directory

import (
	"fmt"
	"strings"
	"testing"
)

// invalidValue is the sentence of a value that breaks its property's rule.
func invalidValue(property string) string {
	return "Invalid value specified for property '" + property + "' of resource 'Group'."
}

func readOnlyText(property string) string {
	return "Property '" + property + "' is read-only and cannot be set."
}

func requiredText(property string) string {
	return "A value is required for property '" + property + "' of resource 'Group'."
}

func unsupportedText(property string) string {
	return "Property '" + property + "' is not supported by this server."
}

// What a creation answers in a naming: "" is accepted, else the message.
type verdict struct {
	name            string
	body            string
	neutral, strict string
}

// both is a verdict that does not depend on the naming.
func both(name, body, message string) verdict { return verdict{name, body, message, message} }

// TestCreationRules holds creations against every rule of contract 3 that a
// group by itself can break, in both namings, by POST and by upsert.
func TestCreationRules(t *testing.T) {
	guid := "84a661c4-e949-4bd2-a560-ed7766fcaf2b"
	cases := []verdict{
		both("the least", security("x"), ""),
		both("unknown and null properties", security("x", J{"resourceBehaviorOptions": []any{}, "tomorrow": J{"a": 1}, "membershipRule": nil, "groupTypes": nil,
			"visibility": nil, "isAssignableToRole": nil, "theme": nil, "assignedLabels": nil, "assignedLicenses": nil, "unseenCount": nil, "@odata.type": "#x"}), ""),
		both("empty binds", security("x", J{"members@odata.bind": []any{}, "owners@odata.bind": []any{}, "owners": []any{}, "members": nil}), ""),

		// Required properties, in order.
		both("nothing", `{}`, requiredText("displayName")),
		both("displayName missing", security("x", J{"displayName": gone{}, "mailEnabled": gone{}}), requiredText("displayName")),
		both("displayName null", security("x", J{"displayName": nil}), requiredText("displayName")),
		both("mailEnabled missing", security("x", J{"mailEnabled": gone{}, "mailNickname": gone{}}), requiredText("mailEnabled")),
		both("mailNickname missing", security("x", J{"mailNickname": gone{}, "securityEnabled": gone{}}), requiredText("mailNickname")),
		both("securityEnabled null", security("x", J{"securityEnabled": nil}), requiredText("securityEnabled")),
		{"uniqueName missing", security("x", J{"uniqueName": gone{}}), requiredText("uniqueName"), ""},
		{"uniqueName null", security("x", J{"uniqueName": nil}), requiredText("uniqueName"), ""},
		both("required before a bad value", security("x", J{"displayName": gone{}, "theme": "Beige"}), requiredText("displayName")),

		// Lengths, counted in characters.
		both("displayName empty", security("x", J{"displayName": ""}), invalidValue("displayName")),
		both("displayName of 1", security("x", J{"displayName": "é"}), ""),
		both("displayName of 255", security("x", J{"displayName": strings.Repeat("é", 255)}), ""),
		both("displayName of 256", security("x", J{"displayName": strings.Repeat("😀", 256)}), ""),
		both("displayName of 257", security("x", J{"displayName": strings.Repeat("a", 257)}), invalidValue("displayName")),
		both("mailNickname empty", security("x", J{"mailNickname": ""}), invalidValue("mailNickname")),
		both("mailNickname of 1", security("x", J{"mailNickname": "a"}), ""),
		both("mailNickname of 63", security("x", J{"mailNickname": strings.Repeat("a", 63)}), ""),
		both("mailNickname of 64", security("x", J{"mailNickname": strings.Repeat("a", 64)}), ""),
		both("mailNickname of 65", security("x", J{"mailNickname": strings.Repeat("a", 65)}), invalidValue("mailNickname")),
		both("uniqueName empty", security("x", J{"uniqueName": ""}), invalidValue("uniqueName")),
		both("uniqueName blank", security("x", J{"uniqueName": " \u00a0"}), invalidValue("uniqueName")),
		both("uniqueName of 1", security("x", J{"uniqueName": "é"}), ""),
		both("uniqueName of 256", security("x", J{"uniqueName": strings.Repeat("é", 256)}), ""),
		both("uniqueName of 257", security("x", J{"uniqueName": strings.Repeat("é", 257)}), invalidValue("uniqueName")),
		both("uniqueName that grows when compared", security("x", J{"uniqueName": strings.Repeat("ﷺ", 100)}), invalidValue("uniqueName")),
		both("uniqueName with a zero byte", security("x", J{"uniqueName": "a\x00"}), invalidValue("uniqueName")),
		both("description of 8192", security("x", J{"description": strings.Repeat("é", 8192)}), ""),
		both("description of 8193", security("x", J{"description": strings.Repeat("é", 8193)}), invalidValue("description")),
		both("classification of 256", security("x", J{"classification": strings.Repeat("é", 256)}), ""),
		both("classification of 257", security("x", J{"classification": strings.Repeat("é", 257)}), invalidValue("classification")),
		both("preferredDataLocation empty", security("x", J{"preferredDataLocation": ""}), invalidValue("preferredDataLocation")),
		both("preferredDataLocation of 64", security("x", J{"preferredDataLocation": strings.Repeat("é", 64)}), ""),
		both("preferredDataLocation of 65", security("x", J{"preferredDataLocation": strings.Repeat("é", 65)}), invalidValue("preferredDataLocation")),

		// mailNickname: ASCII, and what else it must not hold.
		both("mailNickname above ASCII", security("x", J{"mailNickname": "é"}), invalidValue("mailNickname")),
		both("mailNickname at the end of ASCII", security("x", J{"mailNickname": "\x7f"}), ""),
		both("mailNickname of a unified group with a zero byte", office("x", J{"mailNickname": "a\x00"}), ""),
		both("mailNickname with what is left", security("x", J{"mailNickname": "a.b_c-d+e!#$%&*=?^`{|}~"}), ""),
		{"mailNickname with a slash", security("x", J{"mailNickname": "a/b"}), invalidValue("mailNickname"), ""},
		{"mailNickname with an apostrophe", security("x", J{"mailNickname": "a'b"}), invalidValue("mailNickname"), ""},

		// Enumerations, exact but for visibility.
		both("theme", security("x", J{"theme": "Orange"}), ""),
		both("theme unknown", security("x", J{"theme": "Beige"}), invalidValue("theme")),
		both("theme in another case", security("x", J{"theme": "teal"}), invalidValue("theme")),
		both("theme empty", security("x", J{"theme": ""}), invalidValue("theme")),
		both("membershipRuleProcessingState On", security("x", J{"membershipRuleProcessingState": "On"}), ""),
		both("membershipRuleProcessingState unknown", security("x", J{"membershipRuleProcessingState": "Off"}), invalidValue("membershipRuleProcessingState")),
		both("groupTypes unknown", security("x", J{"groupTypes": []string{"Security"}}), invalidValue("groupTypes")),
		both("groupTypes twice", office("x", J{"groupTypes": []string{"Unified", "Unified"}}), invalidValue("groupTypes")),
		both("visibility unknown", security("x", J{"visibility": "Secret"}), invalidValue("visibility")),
		both("visibility empty", security("x", J{"visibility": ""}), invalidValue("visibility")),
		both("visibility in another case", security("x", J{"visibility": "pUBLIC"}), ""),
		both("visibility Hidden of an ordinary group", security("x", J{"visibility": "Hidden"}), invalidValue("visibility")),
		{"preferredLanguage", security("x", J{"preferredLanguage": "en"}), "", invalidValue("preferredLanguage")},
		{"preferredLanguage with region", security("x", J{"preferredLanguage": "EN-us"}), "", invalidValue("preferredLanguage")},
		both("preferredLanguage by name", security("x", J{"preferredLanguage": "english"}), invalidValue("preferredLanguage")),
		both("preferredLanguage with a script", security("x", J{"preferredLanguage": "zh-Hant"}), invalidValue("preferredLanguage")),
		both("preferredLanguage with a line end", security("x", J{"preferredLanguage": "en\n"}), invalidValue("preferredLanguage")),

		// HiddenMembership.
		both("HiddenMembership of a unified group", office("x", J{"visibility": "Hiddenmembership"}), ""),
		both("HiddenMembership, security-enabled", office("x", J{"visibility": "HiddenMembership", "securityEnabled": true}), hiddenSecurity),
		both("HiddenMembership of a security group", security("x", J{"visibility": "HiddenMembership"}), hiddenSecurity),
		{"HiddenMembership of a distribution group", security("x", J{"visibility": "HiddenMembership", "securityEnabled": false, "mailEnabled": true}), hiddenAtCreation, hiddenAtCreation},

		// Kinds of groups.
		{"distribution group", security("x", J{"mailEnabled": true, "securityEnabled": false}), "", noMailEnabledWrite},
		{"mail-enabled security group", security("x", J{"mailEnabled": true}), "", noMailEnabledWrite},
		both("unified without mail", office("x", J{"mailEnabled": false}), ""),
		both("unified and security-enabled", office("x", J{"securityEnabled": true}), ""),

		// Dynamic membership.
		both("dynamic without a rule", security("x", J{"groupTypes": []string{"DynamicMembership"}}), ruleRequired),
		both("dynamic with an empty rule", security("x", J{"groupTypes": []string{"DynamicMembership"}, "membershipRule": ""}), ruleRequired),
		both("rule of an assigned group", security("x", J{"membershipRule": "user.city -eq \"Oslo\""}), invalidValue("membershipRule")),
		both("empty rule of an assigned group", security("x", J{"membershipRule": ""}), ""),
		both("dynamic", security("x", J{"groupTypes": []string{"DynamicMembership"}, "membershipRule": "user.city -eq \"Oslo\""}), unsupportedText("groupTypes")),
		both("dynamic and unified", office("x", J{"groupTypes": []string{"DynamicMembership", "Unified"}, "membershipRule": "user.city -eq \"Oslo\""}), unsupportedText("groupTypes")),

		// Members and owners.
		both("members to bind", security("x", J{"members@odata.bind": []string{"https://x/v1.0/directoryObjects/" + guid}}), unsupportedText("members@odata.bind")),
		both("owners to bind", security("x", J{"owners@odata.bind": []string{"https://x/v1.0/users/" + guid}}), unsupportedText("owners@odata.bind")),
		both("declared members", security("x", J{"members": J{"relationships": []string{guid}}}), unsupportedText("members")),
		both("declared owners", security("x", J{"owners": []string{guid}}), unsupportedText("owners")),

		// Labels and licenses.
		both("label", security("x", J{"assignedLabels": []any{J{"labelId": guid}}}), ""),
		both("label without id", security("x", J{"assignedLabels": []any{J{}}}), invalidValue("assignedLabels")),
		both("label with an empty id", security("x", J{"assignedLabels": []any{J{"labelId": ""}}}), invalidValue("assignedLabels")),
		both("label with a name", security("x", J{"assignedLabels": []any{J{"labelId": guid}, J{"labelId": guid, "displayName": "Secret"}}}), readOnlyText("assignedLabels[1].displayName")),
		both("33 labels", security("x", J{"assignedLabels": repeat(J{"labelId": guid}, 33)}), invalidValue("assignedLabels")),
		both("license", security("x", J{"assignedLicenses": []any{J{"skuId": strings.ToUpper(guid), "disabledPlans": []string{guid}}}}), ""),
		both("license of 35", security("x", J{"assignedLicenses": []any{J{"skuId": guid[:35]}}}), invalidValue("assignedLicenses")),
		both("license of 37", security("x", J{"assignedLicenses": []any{J{"skuId": guid + "0"}}}), invalidValue("assignedLicenses")),
		both("license of 36 that is no GUID", security("x", J{"assignedLicenses": []any{J{"skuId": strings.Repeat("0", 36)}}}), invalidValue("assignedLicenses")),
		both("license in braces", security("x", J{"assignedLicenses": []any{J{"skuId": "{" + guid[:34] + "}"}}}), invalidValue("assignedLicenses")),
		both("license without id", security("x", J{"assignedLicenses": []any{J{"disabledPlans": []string{guid}}}}), invalidValue("assignedLicenses")),
		both("plan that is no GUID", security("x", J{"assignedLicenses": []any{J{"skuId": guid, "disabledPlans": []string{guid, "x"}}}}), invalidValue("assignedLicenses")),
		both("257 licenses", security("x", J{"assignedLicenses": repeat(J{"skuId": guid}, 257)}), invalidValue("assignedLicenses")),
		both("257 plans", security("x", J{"assignedLicenses": []any{J{"skuId": guid, "disabledPlans": repeat(guid, 257)}}}), invalidValue("assignedLicenses")),

		// Role-assignable groups; the developer has every right.
		both("role", security("x", J{"isAssignableToRole": true}), ""),
		both("role, false", security("x", J{"isAssignableToRole": false}), ""),
		both("role, Private", security("x", J{"isAssignableToRole": true, "visibility": "private"}), ""),
		both("role, null", security("x", J{"isAssignableToRole": true, "visibility": nil}), ""),
		both("role, Public", security("x", J{"isAssignableToRole": true, "visibility": "Public"}), roleVisibility),
		both("role, HiddenMembership", security("x", J{"isAssignableToRole": true, "visibility": "HiddenMembership"}), roleVisibility),
		{"role, Hidden", security("x", J{"isAssignableToRole": true, "visibility": "hidden"}), "", invalidValue("visibility")},
		both("role, unified", office("x", J{"isAssignableToRole": true, "securityEnabled": true}), ""),
		both("role, unified without mail", office("x", J{"isAssignableToRole": true, "securityEnabled": true, "mailEnabled": false}), roleGroupType),
		both("role, not security-enabled", office("x", J{"isAssignableToRole": true}), invalidValue("securityEnabled")),
		both("role, dynamic", security("x", J{"isAssignableToRole": true, "groupTypes": []string{"DynamicMembership"}, "membershipRule": "user.city -eq \"Oslo\""}), invalidValue("groupTypes")),

		// Properties that nobody sets, or that depend on the naming.
		{"isManagementRestricted null", security("x", J{"isManagementRestricted": nil}), "", readOnlyText("isManagementRestricted")},
		{"isManagementRestricted false", security("x", J{"isManagementRestricted": false}), "", readOnlyText("isManagementRestricted")},
		both("isManagementRestricted true", security("x", J{"isManagementRestricted": true}), readOnlyText("isManagementRestricted")),
		{"isArchived false", security("x", J{"isArchived": false}), "", readOnlyText("isArchived")},
		both("isArchived true", security("x", J{"isArchived": true}), readOnlyText("isArchived")),
		{"apiVersion", security("x", J{"apiVersion": "v1.0"}), readOnlyText("apiVersion"), ""},
		{"type", security("x", J{"type": "Vendor.Graph/groups"}), readOnlyText("type"), ""},
		both("proxyAddresses null", security("x", J{"proxyAddresses": nil}), readOnlyText("proxyAddresses")),
		both("read-only before required", security("x", J{"id": guid, "displayName": gone{}}), readOnlyText("id")),
	}
	for _, c := range nicknameNeutral {
		if strings.ContainsRune("/'", c) {
			continue
		}
		cases = append(cases, both(fmt.Sprintf("mailNickname with %q", c), security("x", J{"mailNickname": "a" + string(c) + "b"}), invalidValue("mailNickname")))
	}
	for _, p := range []string{"id", "mail", "proxyAddresses", "securityIdentifier", "createdDateTime", "deletedDateTime", "expirationDateTime", "renewedDateTime",
		"hasMembersWithLicenseErrors", "licenseProcessingState", "onPremisesDomainName", "onPremisesLastSyncDateTime", "onPremisesNetBiosName",
		"onPremisesSamAccountName", "onPremisesSecurityIdentifier", "onPremisesSyncEnabled", "onPremisesProvisioningErrors", "serviceProvisioningErrors"} {
		cases = append(cases, both(p+" set", security("x", J{p: []any{"x"}}), readOnlyText(p)))
		if p != "proxyAddresses" {
			cases = append(cases, both(p+" null", security("x", J{p: nil}), ""))
		}
	}
	// Wrong types are bad values of their property.
	for property, values := range map[string][]any{
		"displayName": {1, true, []any{}, J{}}, "description": {1}, "mailEnabled": {"true", 1, J{}}, "securityEnabled": {"false"}, "mailNickname": {1},
		"uniqueName": {1}, "groupTypes": {"Unified", J{}, []any{1}, []any{nil, 1}}, "membershipRule": {true}, "membershipRuleProcessingState": {1}, "visibility": {[]any{}},
		"isAssignableToRole": {"true"}, "classification": {J{}}, "theme": {1}, "preferredLanguage": {1}, "preferredDataLocation": {1}, "isArchived": {"x"},
		"isManagementRestricted": {1}, "assignedLabels": {"x", []any{"x"}, []any{J{"labelId": 1}}}, "assignedLicenses": {J{}, []any{J{"skuId": 1}}, []any{J{"disabledPlans": "x"}}},
		"allowExternalSenders": {"x"}, "autoSubscribeNewMembers": {1}, "hideFromAddressLists": {"x"}, "hideFromOutlookClients": {"x"}, "isSubscribedByMail": {"x"}, "unseenCount": {"1", 1.5, true},
	} {
		for _, v := range values {
			cases = append(cases, both(fmt.Sprintf("%s as %T %v", property, v, v), security("x", J{property: v}), invalidValue(property)))
		}
	}
	neutral, strict := start(t), startStrict(t)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for f, want := range map[*fixture]string{neutral: c.neutral, strict: c.strict} {
				for _, way := range []string{"POST", "upsert"} {
					if strings.HasPrefix(c.name, "uniqueName") && way == "upsert" {
						continue // the name stands in the path there
					}
					body := strings.Replace(c.body, `"uniqueName":"x"`, fmt.Sprintf(`"uniqueName":"%s-%d"`, way, i), 1)
					if strings.Contains(body, `"Unified"`) {
						body = strings.Replace(body, `"mailNickname":"n-x"`, fmt.Sprintf(`"mailNickname":"%s-%d"`, way, i), 1)
						body = strings.Replace(body, `"mailNickname":"a\u0000"`, fmt.Sprintf(`"mailNickname":"%s-%d\u0000"`, way, i), 1)
					}
					var a answer
					if way == "POST" {
						a = f.send("POST", "/v1.0/groups", body)
					} else {
						a = f.upsert(fmt.Sprintf("%s-%d", way, i), body)
					}
					a.t = t
					if want == "" {
						if a.status != 201 {
							t.Errorf("%s: got %d %s, want 201", way, a.status, a.body)
						}
						continue
					}
					code, message, _ := a.failure()
					if a.status != 400 || code != "Request_BadRequest" || message != want {
						t.Errorf("%s: got %d %s, want %q", way, a.status, a.body, want)
					}
				}
			}
		})
	}
}

func repeat[T any](v T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// TestDetails: which part of a property is wrong stands in the details.
func TestDetails(t *testing.T) {
	f := start(t)
	guid := "84a661c4-e949-4bd2-a560-ed7766fcaf2b"
	for body, want := range map[string]string{
		security("x", J{"mailNickname": "a b"}): `"details":[{"target":"mailNickname","code":"InvalidValue","message":"It must not hold any of @()\\[]\";:<>, /' and blank."}]`,
		security("x", J{"mailNickname": "é"}):   `"message":"It must hold ASCII characters only."`,
		security("x", J{"displayName": 7}):      `"details":[{"target":"displayName","code":"InvalidValue","message":"a string is needed, not a number"}]`,
		security("x", J{"assignedLicenses": []any{J{"skuId": guid}, J{"skuId": guid, "disabledPlans": "x"}}}):     `"target":"assignedLicenses[1].disabledPlans"`,
		security("x", J{"assignedLicenses": []any{J{"skuId": guid, "disabledPlans": []string{guid, "x"}}}}):       `"target":"assignedLicenses[0].disabledPlans[1]","code":"InvalidValue","message":"It must be a GUID`,
		security("x", J{"groupTypes": []string{"DynamicMembership"}, "membershipRule": "user.city -eq \"Oslo\""}): `"target":"groupTypes","code":"NotSupported"`,
		security("x", J{"owners": []string{guid}}):                                                                `"code":"NotSupported","message":"Members and owners`,
	} {
		if a := f.send("POST", "/v1.0/groups", body); a.status != 400 || !strings.Contains(a.body, want) {
			t.Errorf("got %d %s, want %s", a.status, a.body, want)
		}
	}
}

// TestVisibility: what is stored and returned, whatever was sent.
func TestVisibility(t *testing.T) {
	f := start(t)
	for i, c := range []struct {
		body func(string, ...J) string
		with J
		want string
	}{
		{security, J{}, "Private"},
		{security, J{"visibility": "public"}, "Public"},
		{office, J{}, "Public"},
		{office, J{"visibility": nil}, "Public"},
		{office, J{"visibility": "PRIVATE"}, "Private"},
		{office, J{"visibility": "Hiddenmembership"}, "HiddenMembership"},
		{security, J{"mailEnabled": true, "securityEnabled": false}, "Private"},
		{security, J{"isAssignableToRole": true}, "Private"},
		{security, J{"isAssignableToRole": true, "visibility": nil}, "Private"},
		{security, J{"isAssignableToRole": true, "visibility": "Private"}, "Private"},
		{security, J{"isAssignableToRole": true, "visibility": "Hidden"}, "Private"},
		{office, J{"isAssignableToRole": true, "securityEnabled": true}, "Private"},
	} {
		made := f.send("POST", "/v1.0/groups", c.body(fmt.Sprint("v", i), c.with)).want(201)
		if got := made.object()["visibility"]; got != c.want {
			t.Errorf("%v: reply %v, want %s", c.with, got, c.want)
		}
		if got := f.read(made.id())["visibility"]; got != c.want {
			t.Errorf("%v: read %v, want %s", c.with, got, c.want)
		}
	}
}

// TestUpdateRules holds updates against the rules of what may change.
func TestUpdateRules(t *testing.T) {
	for naming, f := range map[string]*fixture{"neutral": start(t), "strict": startStrict(t)} {
		plain, role := f.create(security("plain", J{"isAssignableToRole": false})), f.create(security("role", J{"isAssignableToRole": true}))
		mail, shy := f.create(office("mail")), f.create(office("shy", J{"visibility": "HiddenMembership"}))
		for _, c := range []struct {
			id   string
			body string
			want string // "" is accepted
		}{
			// Said again is no change.
			{plain, `{"uniqueName":"plain","isAssignableToRole":false,"groupTypes":[],"visibility":"Private"}`, ""},
			{plain, `{"isAssignableToRole":null,"groupTypes":null}`, ""},
			{role, `{"uniqueName":"ROLE","isAssignableToRole":true,"visibility":null,"securityEnabled":true}`, ""},
			{shy, `{"visibility":"hiddenMEMBERSHIP","groupTypes":["Unified"]}`, ""},

			{plain, `{"uniqueName":"other"}`, readOnlyText("uniqueName")},
			{plain, `{"uniqueName":null}`, readOnlyText("uniqueName")},
			{role, `{"uniqueName":"other"}`, roleUniqueName},
			{plain, `{"isAssignableToRole":true}`, roleImmutable},
			{role, `{"isAssignableToRole":false}`, roleImmutable},
			{role, `{"isAssignableToRole":null}`, roleImmutable},
			{plain, `{"groupTypes":["Unified"]}`, invalidValue("groupTypes")},
			{mail, `{"groupTypes":[]}`, invalidValue("groupTypes")},
			{mail, `{"groupTypes":null}`, invalidValue("groupTypes")},
			{plain, `{"displayName":null}`, invalidValue("displayName")},
			{plain, `{"displayName":""}`, invalidValue("displayName")},
			{plain, `{"mailNickname":null}`, invalidValue("mailNickname")},
			{plain, `{"mailEnabled":null}`, invalidValue("mailEnabled")},
			{plain, `{"securityEnabled":null}`, invalidValue("securityEnabled")},
			{plain, `{"mail":"a@b"}`, readOnlyText("mail")},
			{plain, `{"theme":"Beige"}`, invalidValue("theme")},
			{plain, `{"preferredLanguage":"x"}`, invalidValue("preferredLanguage")},
			{plain, `{"preferredLanguage":"nb-NO"}`, ""}, // by update in both namings
			{mail, `{"visibility":"HiddenMembership"}`, hiddenAtCreation},
			{plain, `{"visibility":"HiddenMembership"}`, hiddenSecurity},
			{shy, `{"securityEnabled":true}`, hiddenSecurity},
			{plain, `{"visibility":"Hidden"}`, invalidValue("visibility")},
			{role, `{"visibility":"Public"}`, roleVisibility},
			{role, `{"securityEnabled":false}`, invalidValue("securityEnabled")},
			{plain, `{"groupTypes":["DynamicMembership"]}`, ruleRequired},
			{plain, `{"groupTypes":["DynamicMembership"],"membershipRule":"user.city -eq \"Oslo\""}`, unsupportedText("groupTypes")},
			{plain, `{"membershipRule":"user.city -eq \"Oslo\""}`, invalidValue("membershipRule")},
			{plain, `{"members@odata.bind":["https://x/v1.0/users/1"]}`, unsupportedText("members@odata.bind")},
			{mail, `{"visibility":"Private"}`, ""},
			{mail, `{"securityEnabled":true}`, ""},
		} {
			a := f.send("PATCH", "/v1.0/groups/"+c.id, c.body)
			if c.want == "" {
				if a.status != 204 {
					t.Errorf("%s: %s: got %d %s, want 204", naming, c.body, a.status, a.body)
				}
			} else if _, message, _ := a.failure(); a.status != 400 || message != c.want {
				t.Errorf("%s: %s: got %d %s, want %q", naming, c.body, a.status, a.body, c.want)
			}
		}
		// A refused update has changed nothing.
		if m := f.read(plain); m["displayName"] != "Group plain" || m["uniqueName"] != "plain" || m["isAssignableToRole"] != false {
			t.Errorf("%s: %v", naming, m)
		}
	}
}

// TestUniqueNameOnce: where a group may be without one, it may get one, once.
func TestUniqueNameOnce(t *testing.T) {
	f := startStrict(t)
	path := "/v1.0/groups/" + f.create(security("x", J{"uniqueName": gone{}}))
	f.send("PATCH", path, `{"uniqueName":null}`).want(204)
	f.create(security("taken"))
	a := f.send("PATCH", path, `{"uniqueName":"Taken"}`)
	if _, message, target := a.failure(); a.status != 400 || message != "Another object with the same value for property uniqueName already exists." || target != "uniqueName" {
		t.Errorf("taken: %d %s", a.status, a.body)
	}
	f.send("PATCH", path, `{"uniqueName":"mine"}`).want(204)
	if f.send("GET", byName("MINE"), "").want(200).object()["uniqueName"] != "mine" {
		t.Error("the name was not given")
	}
	a = f.send("PATCH", path, `{"uniqueName":"yours"}`)
	if _, message, _ := a.failure(); message != readOnlyText("uniqueName") {
		t.Errorf("again: %d %s", a.status, a.body)
	}
	role := "/v1.0/groups/" + f.create(security("y", J{"uniqueName": gone{}, "isAssignableToRole": true}))
	a = f.send("PATCH", role, `{"uniqueName":"z"}`)
	if _, message, _ := a.failure(); message != roleUniqueName {
		t.Errorf("role group: %d %s", a.status, a.body)
	}
}

// TestUniqueNames: what collides, and with what message.
func TestUniqueNames(t *testing.T) {
	f := start(t)
	f.create(security("Ops é", J{"mailNickname": "ops"}))
	for _, name := range []string{"Ops é", "OPS É", "ops e\u0301", "Ｏps é"} {
		a := f.send("POST", "/v1.0/groups", security("z", J{"uniqueName": name}))
		code, message, target := a.failure()
		if a.status != 400 || code != "Request_BadRequest" || message != "Another object with the same value for property uniqueName already exists." || target != "uniqueName" || !strings.Contains(a.body, `"code":"ObjectConflict"`) {
			t.Errorf("%q: %d %s", name, a.status, a.body)
		}
	}
	// Nicknames: unified groups against each other only, without regard to case.
	f.create(office("one", J{"mailNickname": "Team"}))
	a := f.send("POST", "/v1.0/groups", office("two", J{"mailNickname": "tEAM"}))
	if _, message, target := a.failure(); a.status != 400 || message != "Another object with the same value for property mailNickname already exists." || target != "mailNickname" || !strings.Contains(a.body, `"code":"ObjectConflict"`) {
		t.Errorf("unified: %d %s", a.status, a.body)
	}
	f.create(security("three", J{"mailNickname": "Team"}))
	f.create(security("four", J{"mailNickname": "Team"}))
	// A refused creation holds none of its names.
	f.create(office("two", J{"mailNickname": "second"}))
}
