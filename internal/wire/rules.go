package wire

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ludgate"
)

var versionPattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}(-[a-z]+)?$`)

// managementRules checks what every management call has in common: the
// api-version (C-4, D-9), the subscription id and the resource group's name
// (C-8).
func (x *exchange) managementRules(r *Request, m method) error {
	v, _ := r.Query("api-version")
	if v == "" {
		return ludgate.Errorf(ludgate.Invalid, "MissingApiVersionParameter",
			"The api-version query parameter (?api-version=) is required for all requests.")
	}
	neutral := strings.HasPrefix(r.Namespace, "Vendor.") || r.Namespace == ""
	ok := versionPattern.MatchString(v)
	if neutral && !m.AnyAPIVersion && len(m.APIVersions) > 0 {
		ok = slices.Contains(m.APIVersions, v)
	}
	if !ok {
		return ludgate.Errorf(ludgate.Invalid, "InvalidApiVersionParameter",
			"The api-version '%s' is invalid. The supported versions are '%s'.", clip(v), strings.Join(m.APIVersions, ","))
	}
	r.APIVersion = v
	if sub, has := r.params["subscriptionId"]; has && !ludgate.IsGUID(sub) {
		return ludgate.Errorf(ludgate.Invalid, "InvalidSubscriptionId",
			"The provided subscription identifier '%s' is malformed or invalid.", clip(sub)).At("subscriptionId")
	}
	if rg, has := r.params["resourceGroupName"]; has {
		if n := utf8.RuneCountInString(rg); n < 1 || n > 90 {
			return ludgate.Errorf(ludgate.Invalid, "InvalidResourceGroupName",
				"The resource group name '%s' is invalid. It must contain 1 to 90 characters.", clip(rg)).At("resourceGroupName")
		}
		if !utf8.ValidString(rg) || strings.ContainsFunc(rg, unicode.IsControl) {
			return ludgate.Errorf(ludgate.Invalid, "InvalidResourceGroupName",
				"The resource group name is invalid. It must not contain control characters or bytes that are not UTF-8.").At("resourceGroupName")
		}
	}
	return nil
}

// unknownPath is the surface's refusal of a path that no route has.
func (x *exchange) unknownPath() error {
	switch x.surface {
	case Player:
		return ludgate.Errorf(ludgate.NotFound, "InvalidAPIEndpoint", "Invalid API endpoint")
	case Directory:
		return ludgate.Errorf(ludgate.NotFound, "Request_ResourceNotFound", "No resource answers at this path.")
	case Management:
		ns := namespaceOf(strings.Join(x.segments, "/"))
		v, _ := queryFold(x.http.URL.Query(), "api-version")
		return ludgate.Errorf(ludgate.NotFound, "InvalidResourceType",
			"The resource type could not be found in the namespace '%s' for api version '%s'.", clip(ns), clip(v))
	default:
		return ludgate.Errorf(ludgate.NotFound, "NotFound", "Nothing answers at this path.")
	}
}

// wrongMethod is the surface's refusal of a method that the path does not have.
func (x *exchange) wrongMethod(allow string) error {
	code := "MethodNotAllowed"
	if x.surface == Directory {
		code = "Request_BadRequest"
	}
	return ludgate.Errorf(ludgate.MethodNotAllowed, code, "The method %s is not allowed here; allowed: %s.", clip(x.http.Method), allow)
}

// preflight answers a browser that asks whether it may call.
func (x *exchange) preflight() {
	h := x.Header()
	x.allowOrigin()
	h.Set("Access-Control-Allow-Methods", "POST, OPTIONS")
	h.Set("Access-Control-Allow-Headers", "Content-Type, Content-Encoding, X-Authorization, X-Authentication, X-EntityToken, X-SecretKey, X-ReportErrorAsSuccess, "+
		"X-Platform-Signature, X-Platform-Timestamp, X-PlayFab-Signature, X-PlayFab-Timestamp, X-PlayFabSDK")
	h.Set("Access-Control-Max-Age", "3600")
	x.write(http.StatusNoContent, nil)
}

// allowOrigin lets any page read a player reply: the calls carry no cookie, so
// the caller's origin gives it nothing.
func (x *exchange) allowOrigin() {
	if x.http.Header.Get("Origin") == "" {
		return
	}
	x.Header().Set("Access-Control-Allow-Origin", "*")
	x.Header().Set("Access-Control-Expose-Headers", "X-RequestId, Retry-After")
}
