package containergroup

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/engine"
	"ludgate/internal/secret"
	"ludgate/internal/store"
)

// Options configure a Service. Members without a default in their comment are
// needed.
type Options struct {
	Store store.Store
	// Engine runs the groups. Nil when none can work here; Unavailable then
	// says why, and calls that need an engine are refused with it.
	Engine      engine.Engine
	Unavailable *engine.Unavailable
	// Box seals registry passwords at rest.
	Box *secret.Box

	Clock ludgate.Clock // time.Now
	Log   *slog.Logger  // slog.Default

	// Region is the location of groups that name none; "local".
	Region string
	// DNSSuffix ends public names: LABEL.REGION.SUFFIX; "ludgate.internal".
	DNSSuffix string
	// Addresses are what groups of the type Public get; Loopback.
	Addresses Addresses
	// APIVersions are accepted under the neutral namespace; 2026-07-01.
	APIVersions []string
	// Strict refuses what only the real service refuses: a missing osType or
	// resources, a Private address without a subnet, zones, a group below 1 CPU
	// or 1 GB.
	Strict bool
	// MaxCPU (cores) and MaxMemoryGB limit the requests of one group; 31 and 240.
	MaxCPU, MaxMemoryGB float64

	// PageSize is how many groups a page of a list has; 1000.
	PageSize int

	// StartTimeout is how long a group may take to start; 30 min.
	StartTimeout time.Duration
	// DeleteWait is how long DELETE waits for the end of the containers before
	// it answers 202; 10 s.
	DeleteWait time.Duration
	// KeepOperations is how long an operation can be polled after its end; 25 h.
	KeepOperations time.Duration
	// Resync is the time between two looks at operations under way, in case a
	// hint of the engine or of the store was lost; 5 s. Every group is looked at
	// after sixty of them.
	Resync time.Duration
}

func (o *Options) setDefaults() error {
	switch {
	case o.Store == nil || o.Box == nil:
		return errors.New("containergroup: a store and a box for secrets are needed")
	case o.Engine == nil && o.Unavailable == nil:
		return errors.New("containergroup: an engine is needed, or the reason why there is none")
	case o.Clock == nil:
		o.Clock = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.Region = strings.ToLower(strings.Join(strings.Fields(o.Region), ""))
	o.Region = cmp.Or(o.Region, "local")
	if !location.MatchString(o.Region) {
		return errors.New("containergroup: the region can contain only letters, numbers, hyphens and blanks")
	}
	o.DNSSuffix = cmp.Or(strings.Trim(strings.ToLower(o.DNSSuffix), "."), "ludgate.internal")
	if o.Addresses == nil {
		o.Addresses = Loopback()
	}
	if len(o.APIVersions) == 0 {
		o.APIVersions = []string{"2026-07-01"}
	}
	o.MaxCPU, o.MaxMemoryGB = cmp.Or(o.MaxCPU, 31), cmp.Or(o.MaxMemoryGB, 240)
	o.PageSize = cmp.Or(o.PageSize, pageSize)
	o.StartTimeout = cmp.Or(o.StartTimeout, 30*time.Minute)
	o.DeleteWait = cmp.Or(o.DeleteWait, 10*time.Second)
	o.KeepOperations = max(cmp.Or(o.KeepOperations, 25*time.Hour), 24*time.Hour)
	o.Resync = cmp.Or(o.Resync, 5*time.Second)
	return nil
}

// Service is the container group service. It is safe for concurrent use.
type Service struct {
	opt    Options
	policy policy
	queue  *queue
	told   told
	life   life
}

// New makes the service. Nothing moves toward a wish before [Service.Run].
func New(opt Options) (*Service, error) {
	if err := opt.setDefaults(); err != nil {
		return nil, err
	}
	s := &Service{opt: opt, policy: policy{
		strict: opt.Strict, region: opt.Region, maxCPU: opt.MaxCPU, maxMemoryGB: opt.MaxMemoryGB,
	}}
	s.queue = newQueue(s.step, opt.Log)
	return s, nil
}

// needEngine refuses a call that needs an engine where there is none.
func (s *Service) needEngine() error {
	if s.opt.Engine != nil {
		return nil
	}
	u := s.opt.Unavailable
	return ludgate.Errorf(ludgate.Unavailable, "ContainerEngineUnavailable", "Container groups cannot run on this server: %s", u.Error())
}

// topic is what the reconcilers of all nodes watch; groupTopic what a caller that
// waits for one group watches.
const topic = "container-groups"

func groupTopic(key string) string { return "container-group/" + key }

// read runs fn against one snapshot.
func (s *Service) read(ctx context.Context, fn func(store.Tx) error) error {
	return storeError(s.opt.Store.Read(ctx, fn))
}

// write runs fn in a transaction.
func (s *Service) write(ctx context.Context, fn func(store.Tx) error) error {
	return storeError(s.opt.Store.Write(ctx, fn))
}

// storeError puts what a store may lack into words for a caller.
func storeError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ludgate.Errorf(ludgate.Timeout, "RequestCanceled", "The request was given up before it was answered.").Because(err)
	case errors.Is(err, store.ErrBusy):
		return ludgate.Errorf(ludgate.Unavailable, "ServerBusy", "The server is too busy to store the request; try again in a moment.").After(time.Second).Because(err)
	case errors.Is(err, store.ErrClosed):
		return ludgate.Errorf(ludgate.Unavailable, "ServiceUnavailable", "The server is shutting down; try again in a moment.").After(time.Second).Because(err)
	case errors.Is(err, store.ErrFull), errors.Is(err, store.ErrReadOnly):
		return ludgate.Errorf(ludgate.Unavailable, "StorageUnavailable", "The server's storage is full or cannot be written; nothing was changed.").After(time.Minute).Because(err)
	}
	return err
}

// Get gives a group as it is now.
func (s *Service) Get(ctx context.Context, id ID, namespace string) (*ContainerGroupReply, error) {
	if err := access.Management(ctx, namespace+"/containerGroups/read", id.path(namespace)); err != nil {
		return nil, err
	}
	g, err := s.find(ctx, id, namespace)
	if err != nil {
		return nil, err
	}
	return s.reply(ctx, g, namespace), nil
}

// find reads the group of that name, or says that there is none.
func (s *Service) find(ctx context.Context, id ID, namespace string) (*row, error) {
	var g *row
	if checkName(id.Name) == nil {
		if err := s.read(ctx, func(tx store.Tx) (err error) {
			g, err = byName(tx, id)
			return err
		}); err != nil {
			return nil, err
		}
	}
	if g == nil {
		return nil, ludgate.Errorf(ludgate.NotFound, "ResourceNotFound", "The Resource '%s/containerGroups/%s' under resource group '%s' was not found.", namespace, clip(id.Name), id.ResourceGroup)
	}
	return g, nil
}

// by says who is calling, for systemData.
func by(ctx context.Context, now time.Time) author {
	a := author{At: now.UTC(), By: "developer", Type: "User"}
	if p := access.From(ctx); p != nil && p.Kind != access.Developer {
		a.By = cmp.Or(p.Name, p.ID)
		if p.Kind == access.Application {
			a.Type = "Application"
		}
	}
	return a
}

// hasContainer reports whether the group has a container or init container of
// that name.
func (g *row) hasContainer(name string) bool {
	p := g.Group.Properties
	return slices.ContainsFunc(p.Containers, func(c Container) bool { return c.Name == name }) ||
		slices.ContainsFunc(p.InitContainers, func(c InitContainerDefinition) bool { return c.Name == name })
}
