package tour

import (
	"context"
	"net/http"
	"strings"
)

// group shows a directory group made by its alternate key and read by id.
func (t *tour) group(ctx context.Context) error {
	key := "/v1.0/groups(uniqueName='tour-" + t.mark + "')"
	body := map[string]any{
		"displayName": "Tour operators " + t.mark, "mailEnabled": false, "securityEnabled": true,
		"mailNickname": "tour-" + t.mark, "uniqueName": "tour-" + t.mark, "description": "Who may look around.",
	}
	a, err := t.call(ctx, http.MethodPatch, key, body, false, "Prefer", "create-if-missing")
	if err != nil {
		return err
	}
	t.expect(a, http.StatusCreated, "the upsert by uniqueName creates the group")
	id := a.text("id")
	a, err = t.call(ctx, http.MethodGet, "/groups/"+id, nil, false)
	if err != nil {
		return err
	}
	t.expect(a, http.StatusOK, "GET /groups/{ID} reads it")
	t.check("visibility of a security group is Private", a.text("visibility") == "Private", a.at("visibility"))
	t.check("fields of the single read are there: isSubscribedByMail is true", a.at("isSubscribedByMail") == true, a.at("isSubscribedByMail"))
	t.check("the security identifier is derived from the id", strings.HasPrefix(a.text("securityIdentifier"), "S-1-12-1-"), a.at("securityIdentifier"))

	a, err = t.call(ctx, http.MethodPatch, key, body, false, "Prefer", "create-if-missing")
	if err != nil {
		return err
	}
	t.expect(a, http.StatusNoContent, "the same upsert again updates it")
	body["mailNickname"] = "not allowed"
	a, err = t.call(ctx, http.MethodPatch, key, body, false, "Prefer", "create-if-missing")
	if err != nil {
		return err
	}
	t.expect(a, http.StatusBadRequest, "a mailNickname with a blank is refused")
	a, err = t.call(ctx, http.MethodDelete, "/groups/"+id, nil, false)
	if err != nil {
		return err
	}
	t.expect(a, http.StatusNoContent, "DELETE")
	return nil
}

const nameAPI = "api-version=2025-01-01"

// names shows a free name, a taken one and one that breaks the rule.
func (t *tour) names(ctx context.Context) error {
	check := "/subscriptions/" + subscription + "/providers/Vendor.Sql/checkNameAvailability?" + nameAPI
	server := "/subscriptions/" + subscription + "/resourceGroups/tour/providers/Vendor.Sql/servers/tour-" + t.mark + "?" + nameAPI
	body := map[string]any{"name": "tour-" + t.mark, "type": "Vendor.Sql/servers"}
	a, err := t.call(ctx, http.MethodPost, check, body, false)
	if err != nil {
		return err
	}
	t.check("a free name is available, without a reason", a.status == http.StatusOK && a.at("available") == true && a.at("reason") == nil, string(a.raw))
	if a, err = t.call(ctx, http.MethodPut, server, map[string]any{"location": "local"}, false); err != nil {
		return err
	}
	t.check("the name is taken by a server", a.status == http.StatusOK || a.status == http.StatusCreated, a.status)
	defer t.call(context.WithoutCancel(ctx), http.MethodDelete, server, nil, true) //nolint:errcheck // tidying up
	if a, err = t.call(ctx, http.MethodPost, check, body, false); err != nil {
		return err
	}
	t.check("now it is not available: AlreadyExists", a.at("available") == false && a.text("reason") == "AlreadyExists", string(a.raw))
	body["name"] = "TOUR"
	if a, err = t.call(ctx, http.MethodPost, check, body, false); err != nil {
		return err
	}
	t.check("upper case is not available: Invalid", a.status == http.StatusOK && a.at("available") == false && a.text("reason") == "Invalid", string(a.raw))
	return nil
}
