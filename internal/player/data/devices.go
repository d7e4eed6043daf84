package data

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"ludgate"
	"ludgate/internal/player/account"
	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

// ReportDeviceInfoRequest is what a device says of itself: an object of members
// that the client's library chooses.
type ReportDeviceInfoRequest struct {
	Info jsontext.Value `json:"Info"`
}

// PlayerRequest names a player.
type PlayerRequest struct {
	PlatformId string `json:"PlatformId" required:"true"`
}

// GetPlayerDeviceInfoResult is what a player's device said last. Both members
// are absent when none ever did.
type GetPlayerDeviceInfoResult struct {
	PlatformId string         `json:"PlatformId"`
	Info       jsontext.Value `json:"Info,omitzero"`
	Reported   string         `json:"Reported,omitzero"`
}

// device is a report as it is stored.
type device struct {
	info     []byte // compact JSON object
	reported int64
}

// deviceInfo checks a report and gives it compact.
func deviceInfo(info jsontext.Value) ([]byte, error) {
	f := &call.Faults{}
	switch info.Kind() {
	case 0, 'n':
		return []byte("{}"), nil
	case '{':
	default:
		f.Add("Info", "The field Info must be an object.")
		return nil, f.Err()
	}
	value := info.Clone()
	if err := value.Compact(); err != nil {
		return nil, err
	}
	if len(value) > maxDeviceBytes {
		return nil, ludgate.Errorf(ludgate.TooLarge, "BodyTooLarge", "The report of a device must be at most %d bytes long as JSON", maxDeviceBytes)
	}
	return value, nil
}

func (d *device) store(tx store.Tx, title, player string) error {
	_, err := tx.Exec(putDeviceStmt, title, player, d.info, d.reported)
	return err
}

// readDevice gives what a player's device said last; nil when none did.
func readDevice(tx store.Tx, title, player string) (*device, error) {
	var d *device
	_, err := store.QueryOne(tx, deviceStmt, func(r store.Row) error {
		d = &device{r.Bytes(0), r.Int(1)}
		return nil
	}, title, player)
	return d, err
}

// reportDevice keeps what a player's device says of itself.
func (s *Service) reportDevice(ctx context.Context, c *call.Call, r *ReportDeviceInfoRequest) (any, error) {
	info, err := deviceInfo(r.Info)
	if err != nil {
		return nil, err
	}
	return nil, s.gate.Store().Write(ctx, func(tx store.Tx) error {
		if err := exists(tx, c, c.Player); err != nil {
			return err
		}
		return (&device{info, c.Millis()}).store(tx, c.Title.ID, c.Player)
	})
}

// getDevice answers a server that asks for it.
func (s *Service) getDevice(ctx context.Context, c *call.Call, r *PlayerRequest) (any, error) {
	out := &GetPlayerDeviceInfoResult{PlatformId: r.PlatformId}
	err := s.gate.Store().Read(ctx, func(tx store.Tx) error {
		if err := exists(tx, c, r.PlatformId); err != nil {
			return err
		}
		d, err := readDevice(tx, c.Title.ID, r.PlatformId)
		if d != nil {
			out.Info, out.Reported = d.info, account.Stamp(d.reported)
		}
		return err
	})
	return out, err
}
