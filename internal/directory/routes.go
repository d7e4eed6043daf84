package directory

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"ludgate"
	"ludgate/internal/wire"
)

// maxBody bounds the body of a group in bytes.
const maxBody = 256 << 10

// Routes are the calls of the service, in every tree that they answer in.
func (s *Service) Routes() []wire.Route {
	var routes []wire.Route
	for _, tree := range []string{"/v1.0", "/beta", ""} {
		add := func(method, path string, h func(*call) (*wire.Reply, error)) {
			routes = append(routes, wire.Route{Surface: wire.Directory, Method: method, Path: tree + path, MaxBody: maxBody,
				Handler: func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
					c := &call{service: s, ctx: ctx, Request: r, tree: tree, strict: r.Naming.Directory.Strict}
					if tree == "" && c.strict { // the public directory has no such tree
						return nil, ludgate.Errorf(ludgate.NotFound, "Request_ResourceNotFound", "No resource answers at this path.")
					}
					return h(c)
				}})
		}
		add(http.MethodPost, "/groups", (*call).create)
		add(http.MethodGet, "/groups/{id}", (*call).get)
		add(http.MethodPatch, "/groups/{id}", (*call).patch)
		add(http.MethodDelete, "/groups/{id}", (*call).delete)
	}
	return routes
}

// call is one request to the service.
type call struct {
	*wire.Request
	service *Service
	ctx     context.Context
	tree    string // "/v1.0", "/beta" or ""
	strict  bool
}

func (c *call) create() (*wire.Reply, error) {
	if _, err := c.options(); err != nil {
		return nil, err
	}
	g, err := c.service.create(c.ctx, c.read, c.strict)
	if err != nil {
		return nil, err
	}
	return c.created(g), nil
}

func (c *call) get() (*wire.Reply, error) {
	k, err := parseKey(c.Param("id"))
	if err != nil {
		return nil, err
	}
	selected, err := c.options("$select")
	if err != nil {
		return nil, err
	}
	s, names := neutralSingle, ""
	if c.strict {
		s = strictEntity
	}
	if value, has := selected["$select"]; has {
		if s, names, err = parseSelect(value, c.strict); err != nil {
			return nil, err
		}
		names = "(" + names + ")"
	}
	g, err := c.service.get(c.ctx, k)
	if err != nil {
		return nil, err
	}
	return &wire.Reply{Header: jsonHeader, Body: render(g, c.context(names), s)}, nil
}

func (c *call) patch() (*wire.Reply, error) {
	k, err := parseKey(c.Param("id"))
	if err != nil {
		return nil, err
	}
	if _, err := c.options(); err != nil {
		return nil, err
	}
	upsert := prefers(c.HTTP.Header, "create-if-missing")
	out, err := c.service.patch(c.ctx, k, c.read, upsert, c.strict)
	switch {
	case err != nil:
		return nil, err
	case out.created:
		return c.created(out.group), nil
	case out.mailbox && !(k.byName && upsert): // an upsert answers 201 or 204, and nothing else
		return &wire.Reply{Header: jsonHeader, Body: render(out.group, c.context(""), entity(c.strict))}, nil
	}
	return wire.NoContent(), nil
}

func (c *call) delete() (*wire.Reply, error) {
	k, err := parseKey(c.Param("id"))
	if err != nil {
		return nil, err
	}
	if _, err := c.options(); err != nil {
		return nil, err
	}
	if err := c.service.delete(c.ctx, k); err != nil {
		return nil, err
	}
	return wire.NoContent(), nil
}

// read is the [body] of the call. A value of the wrong type is a bad value of
// its property.
func (c *call) read(in *Input) error {
	err := c.Decode(in)
	var e *ludgate.Error
	if errors.As(err, &e) && len(e.Details) == 1 {
		path := e.Details[0].Target
		top, _, _ := strings.Cut(path, ".")
		top, _, _ = strings.Cut(top, "[")
		return invalidAt(top, path, e.Details[0].Message)
	}
	return err
}

// jsonHeader is shared by replies; nothing writes to it.
var jsonHeader = http.Header{"Content-Type": {"application/json; charset=utf-8"}}

// created is the reply to a creation.
func (c *call) created(g *Group) *wire.Reply {
	reply := &wire.Reply{Status: http.StatusCreated, Body: render(g, c.context(""), entity(c.strict))}
	reply.Set("Content-Type", jsonHeader.Get("Content-Type"))
	return reply.Set("Location", c.BaseURL()+c.tree+"/groups/"+g.ID)
}

// context is the @odata.context of a group's reply; selected is "" or the
// selected names in parentheses.
func (c *call) context(selected string) string {
	return c.BaseURL() + c.tree + "/$metadata#groups" + selected + "/$entity"
}

// systemOptions are the names of OData's query options, which may also be
// written without their dollar sign.
var systemOptions = []string{
	"apply", "compute", "count", "deltatoken", "expand", "filter", "format", "index", "levels", "orderby",
	"schemaversion", "search", "select", "skip", "skiptoken", "top",
}

// options reads the query options of a call and refuses those that it does not
// carry out. Parameters that are no options of OData belong to the caller.
func (c *call) options(supported ...string) (map[string]string, error) {
	if c.HTTP.URL.RawQuery == "" {
		return nil, nil
	}
	query, err := url.ParseQuery(c.HTTP.URL.RawQuery)
	if err != nil {
		return nil, refuse("The query of the request is not well-formed.").Because(err)
	}
	options := map[string]string{}
	var refused []string
	for name, values := range query {
		option := strings.ToLower(name)
		if !strings.HasPrefix(option, "$") {
			if !slices.Contains(systemOptions, option) {
				continue
			}
			option = "$" + option
		}
		if _, twice := options[option]; twice || len(values) > 1 || !slices.Contains(supported, option) {
			refused = append(refused, name)
			continue
		}
		options[option] = values[0]
	}
	if len(refused) > 0 {
		return nil, unsupportedQuery(slices.Min(refused))
	}
	return options, nil
}

// prefers reports whether a Prefer header holds the preference.
func prefers(h http.Header, preference string) bool {
	for _, line := range h.Values("Prefer") {
		for _, p := range strings.Split(line, ",") {
			p, _, _ = strings.Cut(p, ";")
			if strings.EqualFold(strings.TrimSpace(p), preference) {
				return true
			}
		}
	}
	return false
}
