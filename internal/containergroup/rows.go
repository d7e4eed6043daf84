package containergroup

import (
	"embed"
	"fmt"
	"net/netip"
	"time"

	"github.com/go-json-experiment/json"

	"ludgate"
	"ludgate/internal/engine"
	"ludgate/internal/secret"
	"ludgate/internal/store"
)

//go:embed sql/*.sql sql/migrations/*.sql
var sqlFS embed.FS

// Area is the schema of container groups.
var Area = store.Area{Name: "containergroup", FS: sqlFS, Dir: "sql/migrations"}

var statements = store.Statements(sqlFS, "sql")

var (
	groupByName     = statements.Get("group_by_name")
	groupByID       = statements.Get("group_by_id")
	groupInsert     = statements.Get("group_insert")
	groupUpdate     = statements.Get("group_update")
	groupDeleting   = statements.Get("group_deleting")
	groupSupersede  = statements.Get("group_supersede")
	groupRemove     = statements.Get("group_remove")
	groupSettle     = statements.Get("group_settle")
	groupObserved   = statements.Get("group_observed")
	groupsOpen      = statements.Get("groups_open")
	groupsAfter     = statements.Get("groups_after")
	listByGroup     = statements.Get("list_resource_group")
	listBySub       = statements.Get("list_subscription")
	operationInsert = statements.Get("operation_insert")
	operationGet    = statements.Get("operation_get")
	operationEnd    = statements.Get("operation_end")
	operationPurge  = statements.Get("operation_purge")
)

// row is one group as the store has it.
type row struct {
	key        string // the engine's, for the life of the group
	generation int64  // of the wish
	state      ludgate.ProvisioningState
	operation  string     // the newest operation
	address    netip.Addr // claimed; invalid when the group has none
	document
	fault      *fault // why the newest operation failed
	view       string // the engine's status when it was last written, JSON; "" before
	observedAt time.Time
}

// document is what of a row needs no column of its own.
type document struct {
	ID       ID              `json:"id"`    // first spelling
	Group    *ContainerGroup `json:"group"` // canonical, without passwords
	Sealed   []string        `json:"sealed,omitzero"`
	DNS      dnsName         `json:"dns,omitzero"`
	Created  author          `json:"created"`
	Modified author          `json:"modified"`
	Since    time.Time       `json:"since"` // when the newest operation began
}

// author is who changed a group, and when.
type author struct {
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	Type string    `json:"type"`
}

// fault is why an operation failed.
type fault struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	At      time.Time `json:"at"`
}

// scanRow reads the columns that the statements on groups begin with.
func scanRow(r store.Row) (*row, error) {
	g := &row{
		key: r.Text(0), generation: r.Int(1), state: ludgate.ProvisioningState(r.Text(2)),
		operation: r.Text(3), view: r.Text(7), observedAt: time.Unix(0, r.Int(8)),
	}
	if a := r.Text(4); a != "" {
		var err error
		if g.address, err = netip.ParseAddr(a); err != nil {
			return nil, fmt.Errorf("read container group %s: %w", g.key, err)
		}
	}
	if err := json.Unmarshal([]byte(r.Text(5)), &g.document); err != nil {
		return nil, fmt.Errorf("read container group %s: %w", g.key, err)
	}
	if f := r.Text(6); f != "" {
		g.fault = &fault{}
		if err := json.Unmarshal([]byte(f), g.fault); err != nil {
			return nil, fmt.Errorf("read container group %s: %w", g.key, err)
		}
	}
	return g, nil
}

// one reads the only row of a statement, nil when there is none.
func one(tx store.Tx, stmt *store.Stmt, args ...any) (*row, error) {
	var g *row
	_, err := store.QueryOne(tx, stmt, func(r store.Row) (err error) {
		g, err = scanRow(r)
		return err
	}, args...)
	return g, err
}

// byName finds the group that a name stands for now.
func byName(tx store.Tx, id ID) (*row, error) {
	id = id.fold()
	return one(tx, groupByName, id.Subscription, id.Name, id.ResourceGroup)
}

// insert writes a new row.
func (g *row) insert(tx store.Tx) error {
	id := g.ID.fold()
	_, err := tx.Exec(groupInsert, g.key, id.Subscription, id.ResourceGroup, id.Name, g.generation,
		string(g.state), g.operation, addressText(g.address), text(g.document))
	return err
}

// update writes what a PUT may change.
func (g *row) update(tx store.Tx) error {
	_, err := tx.Exec(groupUpdate, g.key, g.generation, string(g.state), g.operation, addressText(g.address), text(g.document), g.faultText())
	return err
}

func (g *row) faultText() string {
	if g.fault == nil {
		return ""
	}
	return text(g.fault)
}

func addressText(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	return a.String()
}

// text marshals a record of ours.
func text(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic("containergroup: marshal a record: " + err.Error()) // no record of ours can fail
	}
	return string(b)
}

// status gives the engine's status as it was last written, or nil.
func (g *row) status() *engine.Status {
	if g.view == "" {
		return nil
	}
	st := &engine.Status{}
	if json.Unmarshal([]byte(g.view), st) != nil {
		return nil // written by another version; the engine will be asked again
	}
	return st
}

// open gives the credentials with their passwords.
func (d *document) open(box *secret.Box, key string) ([]ImageRegistryCredential, error) {
	creds := append([]ImageRegistryCredential(nil), d.Group.Properties.ImageRegistryCredentials...)
	if len(creds) != len(d.Sealed) {
		return nil, fmt.Errorf("container group %s: %d credentials, %d passwords", key, len(creds), len(d.Sealed))
	}
	for i := range creds {
		plain, err := box.Open(d.Sealed[i], sealContext(key, &creds[i]))
		if err != nil {
			return nil, fmt.Errorf("container group %s: password for %s: %w", key, creds[i].Server, err)
		}
		creds[i].Password = secret.Text(plain)
	}
	return creds, nil
}

// sealContext binds a password to the group and the account it is for.
func sealContext(key string, c *ImageRegistryCredential) string {
	return key + "\x00" + c.Server + "\x00" + c.Username
}
