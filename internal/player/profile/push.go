package profile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"ludgate/internal/player/call"
	"ludgate/internal/store"
)

var (
	pushPutStmt    = statements.Get("push_put")
	pushTrimStmt   = statements.Get("push_trim")
	pushStmt       = statements.Get("push")
	pushRemoveStmt = statements.Get("push_remove")
)

// RegisterForPushRequest registers the caller's device. Nothing is pushed from
// here, so a confirmation that is asked for is refused.
type RegisterForPushRequest struct {
	DeviceToken                      string `json:"DeviceToken" required:"true"`
	SendPushNotificationConfirmation bool   `json:"SendPushNotificationConfirmation"`
}

// UnregisterPushRequest ends a registration of the caller.
type UnregisterPushRequest struct {
	NotificationEndpointARN string `json:"NotificationEndpointARN" required:"true"`
}

func (s *Service) registerApple(ctx context.Context, c *call.Call, r *RegisterForPushRequest) (any, error) {
	return nil, s.registerPush(ctx, c, ApplePush, r)
}

func (s *Service) registerGoogle(ctx context.Context, c *call.Call, r *RegisterForPushRequest) (any, error) {
	return nil, s.registerPush(ctx, c, GooglePush, r)
}

func (s *Service) registerPush(ctx context.Context, c *call.Call, platform PushNotificationPlatform, r *RegisterForPushRequest) error {
	f := &call.Faults{}
	checkText(f, "DeviceToken", r.DeviceToken, maxDevice)
	if err := f.Err(); err != nil {
		return err
	}
	if r.SendPushNotificationConfirmation {
		e := call.Refuse("FeatureNotConfiguredForTitle", "The feature is not configured for this title")
		return e.With("SendPushNotificationConfirmation", "Notifications are not sent from here; register without asking for one.")
	}
	row := pushRow{Endpoint: endpoint(c.Title.ID, platform, r.DeviceToken), Platform: platform, Token: r.DeviceToken, Added: c.Millis()}
	return s.write(ctx, c, c.Player, func(tx store.Tx) error {
		if err := row.put(tx, c.Title.ID, c.Player); err != nil {
			return err
		}
		_, err := tx.Exec(pushTrimStmt, c.Title.ID, c.Player, int64(maxDevices))
		return err
	})
}

func (s *Service) unregisterPush(ctx context.Context, c *call.Call, r *UnregisterPushRequest) (any, error) {
	return nil, s.write(ctx, c, c.Player, func(tx store.Tx) error {
		_, err := tx.Exec(pushRemoveStmt, c.Title.ID, c.Player, r.NotificationEndpointARN)
		return err
	})
}

// endpoint names a device within a title: the same device has the same name, and
// the name does not give its token away.
func endpoint(title string, platform PushNotificationPlatform, token string) string {
	service := "APNS"
	if platform == GooglePush {
		service = "GCM"
	}
	sum := sha256.Sum256([]byte(title + "\n" + service + "\n" + token))
	return "arn:ludgate:push::" + title + ":endpoint/" + service + "/" + hex.EncodeToString(sum[:16])
}

// pushRow is a stored registration.
type pushRow struct {
	Endpoint string                   `json:"endpoint"`
	Platform PushNotificationPlatform `json:"platform"`
	Token    string                   `json:"token"`
	Added    int64                    `json:"added"`
}

func (r pushRow) put(tx store.Tx, title, player string) error {
	_, err := tx.Exec(pushPutStmt, title, player, r.Endpoint, string(r.Platform), r.Token, r.Added)
	return err
}

func loadPush(tx store.Tx, title, player string) ([]pushRow, error) {
	rows := []pushRow{}
	err := tx.Query(pushStmt, func(r store.Row) error {
		rows = append(rows, pushRow{r.Text(0), PushNotificationPlatform(r.Text(1)), r.Text(2), r.Int(3)})
		return nil
	}, title, player)
	return rows, err
}

// shown is a registration as a profile has it.
func (r pushRow) shown() PushNotificationRegistrationModel {
	return PushNotificationRegistrationModel{Platform: r.Platform, NotificationEndpointARN: r.Endpoint}
}
