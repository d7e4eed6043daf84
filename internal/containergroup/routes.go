package containergroup

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"ludgate"
	"ludgate/internal/engine"
	"ludgate/internal/wire"
)

// Paths of the calls (C-4 and what clients of the public service rely on).
const (
	namespacePath  = "/providers/Vendor.ContainerInstance"
	inSubscription = "/subscriptions/{subscriptionId}" + namespacePath
	inGroup        = "/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}" + namespacePath + "/containerGroups"
	oneGroup       = inGroup + "/{containerGroupName}"
	oneOperation   = inSubscription + "/locations/{location}/operations/{operationId}"
	oneResult      = inSubscription + "/locations/{location}/operationResults/{operationId}"
)

// Routes are the calls of the service.
func (s *Service) Routes() []wire.Route {
	route := func(method, path string, h wire.Handler) wire.Route {
		return wire.Route{Surface: wire.Management, Method: method, Path: path, APIVersions: s.opt.APIVersions, Handler: h}
	}
	poll := func(path string, h wire.Handler) wire.Route {
		r := route(http.MethodGet, path, h)
		r.AnyAPIVersion = true
		return r
	}
	return []wire.Route{
		route(http.MethodPut, oneGroup, s.servePut),
		route(http.MethodGet, oneGroup, s.serveGet),
		route(http.MethodDelete, oneGroup, s.serveDelete),
		route(http.MethodGet, inGroup, s.serveList),
		route(http.MethodGet, inSubscription+"/containerGroups", s.serveList),
		route(http.MethodGet, oneGroup+"/containers/{containerName}/logs", s.serveLogs),
		poll(oneOperation, s.serveOperation),
		poll(oneResult, s.serveResult),
	}
}

// idOf reads the group's name out of the path.
func idOf(r *wire.Request) ID {
	return ID{Subscription: r.Param("subscriptionId"), ResourceGroup: r.Param("resourceGroupName"), Name: r.Param("containerGroupName")}
}

func (s *Service) servePut(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	res, err := s.Put(ctx, idOf(r), r.Namespace, r)
	if err != nil {
		return nil, err
	}
	reply := wire.OK(res.Group)
	if res.Created {
		reply.Status = http.StatusCreated
	}
	if res.Operation != "" {
		follow(reply, r, res.Group.Location, res.Operation)
	}
	return reply, nil
}

// asyncHeader is where pollers of the field look first.
const asyncHeader = "Azure-AsyncOperation"

// follow adds the headers that lead a poller to an operation.
func follow(reply *wire.Reply, r *wire.Request, location, operation string) {
	reply.Set(asyncHeader, operationURL(r, "operations", location, operation))
	reply.Set("Retry-After", "1")
}

// operationURL is the absolute address of an operation, in the words and with
// the version of the request.
func operationURL(r *wire.Request, what, location, operation string) string {
	return r.BaseURL() + "/subscriptions/" + url.PathEscape(r.Param("subscriptionId")) + "/providers/" + r.Namespace +
		"/locations/" + url.PathEscape(location) + "/" + what + "/" + operation + "?api-version=" + url.QueryEscape(r.APIVersion)
}

func (s *Service) serveGet(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	g, err := s.Get(ctx, idOf(r), r.Namespace)
	if err != nil {
		return nil, err
	}
	return wire.OK(g), nil
}

func (s *Service) serveDelete(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	res, err := s.Delete(ctx, idOf(r), r.Namespace)
	switch {
	case err != nil:
		return nil, err
	case res.Last != nil:
		return wire.OK(res.Last), nil
	case res.Operation == "":
		return wire.NoContent(), nil
	}
	reply := &wire.Reply{Status: http.StatusAccepted}
	follow(reply, r, res.Location, res.Operation)
	return reply.Set("Location", operationURL(r, "operationResults", res.Location, res.Operation)), nil
}

func (s *Service) serveList(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	token, _ := r.Query("$skiptoken")
	page, err := s.List(ctx, idOf(r), r.Namespace, token)
	if err != nil {
		return nil, err
	}
	list := List{Value: page.Groups}
	if page.Next != "" {
		list.NextLink = r.BaseURL() + r.HTTP.URL.EscapedPath() + "?api-version=" + url.QueryEscape(r.APIVersion) + "&$skiptoken=" + page.Next
	}
	return wire.OK(list), nil
}

func (s *Service) serveLogs(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	opt, none, err := logOptions(r)
	if err != nil {
		return nil, err
	}
	logs, err := s.Logs(ctx, idOf(r), r.Namespace, r.Param("containerName"), opt)
	if err != nil {
		return nil, err
	}
	if none {
		logs.Content = ""
	}
	return wire.OK(logs), nil
}

// logOptions reads tail, timestamps and previous; none means tail=0.
func logOptions(r *wire.Request) (opt engine.LogOptions, none bool, err error) {
	if v, ok := r.Query("tail"); ok && v != "" {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || n < 0 {
			return opt, false, ludgate.Errorf(ludgate.Invalid, "InvalidQueryParameter", "The query parameter 'tail' must be a number of lines from 0 to 2147483647, not '%s'.", clip(v)).At("tail")
		}
		opt.Tail, none = int(n), n == 0
	}
	for name, to := range map[string]*bool{"timestamps": &opt.Timestamps, "previous": &opt.Previous} {
		v, ok := r.Query(name)
		if !ok || v == "" {
			continue
		}
		if *to, err = strconv.ParseBool(strings.ToLower(v)); err != nil {
			return opt, false, ludgate.Errorf(ludgate.Invalid, "InvalidQueryParameter", "The query parameter '%s' must be true or false, not '%s'.", name, clip(v)).At(name)
		}
	}
	return opt, none, nil
}

func (s *Service) serveOperation(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	o, err := s.Operation(ctx, r.Param("subscriptionId"), r.Namespace, r.Param("operationId"))
	if err != nil {
		return nil, err
	}
	reply := wire.OK(o)
	if o.Status == InProgress {
		reply.Set("Retry-After", "1")
	}
	return reply, nil
}

// serveResult is what the Location of a 202 leads to: 202 until the operation has
// ended, then 204, or why it failed.
func (s *Service) serveResult(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	o, err := s.Operation(ctx, r.Param("subscriptionId"), r.Namespace, r.Param("operationId"))
	switch {
	case err != nil:
		return nil, err
	case o.Status == InProgress:
		reply := &wire.Reply{Status: http.StatusAccepted}
		follow(reply, r, r.Param("location"), o.Name)
		return reply.Set("Location", operationURL(r, "operationResults", r.Param("location"), o.Name)), nil
	case o.Error != nil:
		return nil, ludgate.Errorf(ludgate.Conflict, o.Error.Code, "%s", o.Error.Message)
	}
	return wire.NoContent(), nil
}
