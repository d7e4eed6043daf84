package containergroup

import "strings"

// ID names a group: where it lives and what it is called there, as the caller
// spelled it. All three compare without regard to case (C-8).
type ID struct {
	Subscription  string `json:"subscription"`
	ResourceGroup string `json:"resourceGroup"`
	Name          string `json:"name"`
}

// fold gives the form that is compared and stored for looking up.
func (id ID) fold() ID {
	return ID{strings.ToLower(id.Subscription), strings.ToLower(id.ResourceGroup), strings.ToLower(id.Name)}
}

// path is the resource id under a provider namespace.
func (id ID) path(namespace string) string {
	return id.scope() + "/providers/" + namespace + "/containerGroups/" + id.Name
}

// scope is the resource id of the resource group, or of the subscription alone.
func (id ID) scope() string {
	s := "/subscriptions/" + id.Subscription
	if id.ResourceGroup != "" {
		s += "/resourceGroups/" + id.ResourceGroup
	}
	return s
}
