package servername

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/wire"
)

// versions are the api-versions of the neutral namespace (D-9.R2).
var versions = []string{"2025-01-01"}

// Routes are the calls of the service.
func (s *Service) Routes() []wire.Route {
	const (
		subscription = "/subscriptions/{subscriptionId}"
		group        = subscription + "/resourceGroups/{resourceGroupName}"
		servers      = "/providers/Vendor.Sql/servers"
	)
	route := func(method, path string, h wire.Handler) wire.Route {
		return wire.Route{Surface: wire.Management, Method: method, Path: path, APIVersions: versions, MaxBody: maxBody, Handler: h}
	}
	return []wire.Route{
		route(http.MethodPost, subscription+"/providers/Vendor.Sql/checkNameAvailability", s.handleCheck),
		route(http.MethodPut, group+servers+"/{serverName}", s.handlePut),
		route(http.MethodGet, group+servers+"/{serverName}", s.handleGet),
		route(http.MethodDelete, group+servers+"/{serverName}", s.handleDelete),
		route(http.MethodGet, group+servers, s.handleList),
		route(http.MethodGet, subscription+servers, s.handleList),
	}
}

// handleCheck is the name check (D-4.checkNameAvailability). Checking is reading.
func (s *Service) handleCheck(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	if err := access.Management(ctx, "Vendor.Sql/checkNameAvailability/read", "/subscriptions/"+r.Param("subscriptionId")); err != nil {
		return nil, err
	}
	var q checkRequest
	if err := r.Decode(&q); err != nil {
		return nil, invalidCheck().Because(err)
	}
	if err := q.check(r.Namespace); err != nil {
		return nil, err
	}
	reply, err := s.check(ctx, *q.Name)
	if err != nil {
		return nil, err
	}
	return wire.OK(reply), nil
}

func (s *Service) handlePut(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	at := placeOf(r)
	var q serverRequest
	if len(r.Body) > 0 { // a name needs nothing said about it
		if err := r.Decode(&q); err != nil {
			return nil, err
		}
	}
	name := r.Param("serverName")
	rec, created, err := s.put(ctx, at, name, q)
	if err != nil {
		return nil, err
	}
	reply := wire.OK(view(r, named{rec, name}))
	if created {
		reply.Status = http.StatusCreated
	}
	return reply, nil
}

func (s *Service) handleGet(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	at := placeOf(r)
	name := r.Param("serverName")
	rec, found, err := s.get(ctx, at, name)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, notFound(r, at, name)
	}
	return wire.OK(view(r, named{rec, name})), nil
}

func (s *Service) handleDelete(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	at := placeOf(r)
	found, err := s.delete(ctx, at, r.Param("serverName"))
	if err != nil {
		return nil, err
	}
	if !found {
		return wire.NoContent(), nil
	}
	return &wire.Reply{Status: http.StatusOK}, nil
}

func (s *Service) handleList(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	at := placeOf(r)
	for name := range r.HTTP.URL.Query() {
		if strings.HasPrefix(name, "$") && !strings.EqualFold(name, "$skiptoken") {
			return nil, ludgate.Errorf(ludgate.Invalid, "InvalidQueryParameter", "The query parameter '%s' is not supported here.", clip(name)).At(clip(name))
		}
	}
	after, has := r.Query("$skiptoken")
	if has && !validName(after) {
		return nil, ludgate.Errorf(ludgate.Invalid, "InvalidQueryParameter", "The query parameter '$skiptoken' is not one of this server's; use nextLink as it was given.").At("$skiptoken")
	}
	page, more, err := s.list(ctx, at, after)
	if err != nil {
		return nil, err
	}
	reply := listReply{Value: make([]serverReply, 0, len(page))}
	for _, n := range page {
		reply.Value = append(reply.Value, view(r, n))
	}
	if more {
		q := url.Values{"api-version": {r.APIVersion}, "$skiptoken": {page[len(page)-1].name}}
		reply.NextLink = r.BaseURL() + r.HTTP.URL.EscapedPath() + "?" + q.Encode()
	}
	return wire.OK(reply), nil
}

// notFound is the management surface's sentence; clients of the vendor's
// namespace are used to the pointer behind it.
func notFound(r *wire.Request, at place, name string) error {
	more := ""
	if !strings.HasPrefix(r.Namespace, "Vendor.") {
		more = " For more details please go to https://aka.ms/ARMResourceNotFoundFix"
	}
	return ludgate.Errorf(ludgate.NotFound, "ResourceNotFound",
		"The Resource '%s/servers/%s' under resource group '%s' was not found.%s", r.Namespace, clip(name), at.ResourceGroup, more)
}

// placeOf reads the place out of the path. The edge has checked the
// subscription id and the resource group's name.
func placeOf(r *wire.Request) place {
	return place{r.Param("subscriptionId"), r.Param("resourceGroupName")}
}

// view is a server as the caller's naming writes it.
func view(r *wire.Request, n named) serverReply {
	v := serverReply{
		ID:   n.group() + "/providers/" + r.Namespace + "/servers/" + n.name,
		Name: n.name, Type: r.Namespace + "/servers",
		Location: n.Location, Tags: n.Tags, Properties: serverProperties{State: stateReserved},
	}
	if v.Tags == nil {
		v.Tags = map[string]string{}
	}
	return v
}
