package tour

import (
	"context"
	"net/http"
	"regexp"
)

var platformID = regexp.MustCompile(`^[0-9A-F]{16}$`)

// noLogin is LastLoginTime before there was a login.
const noLogin = "0001-01-01T00:00:00Z"

// register shows a registration, its uniqueness and its errors.
func (t *tour) register(ctx context.Context) error {
	body := map[string]any{
		"TitleId": t.opt.Title, "Username": "ann" + t.mark, "Email": "ann" + t.mark + "@example.com",
		"Password": "correct horse", "DisplayName": "Ann " + t.mark,
	}
	a, err := t.call(ctx, http.MethodPost, "/Client/RegisterPlatformUser", body, false)
	if err != nil {
		return err
	}
	t.expect(a, http.StatusOK, "a new player is registered")
	t.check("PlatformId is 16 upper-case hexadecimal digits", platformID.MatchString(a.text("PlatformId")), a.text("PlatformId"))
	t.check("a session ticket comes back", a.text("SessionTicket") != "", "none")
	t.check("an entity token for the title player account comes back",
		a.text("EntityToken.Entity.Type") == "title_player_account" && a.text("EntityToken.EntityToken") != "", a.at("EntityToken"))

	a, err = t.call(ctx, http.MethodPost, "/Client/RegisterPlatformUser", body, false)
	if err != nil {
		return err
	}
	t.expect(a, http.StatusBadRequest, "the same player a second time is refused")
	t.check("the error is EmailAddressNotAvailable 1006", a.text("error") == "EmailAddressNotAvailable" && a.at("errorCode") == 1006.0, a.text("error"))

	body["Username"], body["Email"], body["DisplayName"], body["Password"] = "bob"+t.mark, "bob"+t.mark+"@example.com", "Bob "+t.mark, "short"
	a, err = t.call(ctx, http.MethodPost, "/Client/RegisterPlatformUser", body, false)
	if err != nil {
		return err
	}
	t.check("a password of five characters is InvalidPassword 1008", a.text("error") == "InvalidPassword" && a.at("errorCode") == 1008.0, a.text("error"))
	return nil
}

// signIn shows a streaming sign-in that creates, and one that finds.
func (t *tour) signIn(ctx context.Context) error {
	a, err := t.call(ctx, http.MethodPost, "/dev/streaming/token", map[string]any{"user_id": "42" + digits(t.mark), "login": "ann_" + t.mark}, false)
	if err != nil {
		return err
	}
	t.expect(a, http.StatusOK, "the built-in streaming platform mints a token")
	login := map[string]any{"TitleId": t.opt.Title, "AccessToken": a.text("access_token"), "CreateAccount": true}
	first, err := t.call(ctx, http.MethodPost, "/Client/LoginWithStreamingPlatform", login, false)
	if err != nil {
		return err
	}
	t.expect(first, http.StatusOK, "the first sign-in creates an account")
	t.check("NewlyCreated is true", first.at("NewlyCreated") == true, first.at("NewlyCreated"))
	t.check("LastLoginTime is the minimum date-time", first.text("LastLoginTime") == noLogin, first.text("LastLoginTime"))
	second, err := t.call(ctx, http.MethodPost, "/Client/LoginWithStreamingPlatform", login, false)
	if err != nil {
		return err
	}
	t.expect(second, http.StatusOK, "the second sign-in finds it")
	t.check("NewlyCreated is false", second.at("NewlyCreated") == false, second.at("NewlyCreated"))
	t.check("LastLoginTime is set", second.text("LastLoginTime") != "" && second.text("LastLoginTime") != noLogin, second.text("LastLoginTime"))
	t.check("it is the same player", first.text("PlatformId") != "" && first.text("PlatformId") == second.text("PlatformId"), second.text("PlatformId"))

	login["AccessToken"] = "made-up"
	bad, err := t.call(ctx, http.MethodPost, "/Client/LoginWithStreamingPlatform", login, false)
	if err != nil {
		return err
	}
	t.check("a made-up token is InvalidStreamingPlatformToken 1232",
		bad.text("error") == "InvalidStreamingPlatformToken" && bad.at("errorCode") == 1232.0, bad.text("error"))
	return nil
}

// keepData shows what a game keeps of a player: data with a permission, a second
// way to sign in, and a sign-in that brings the data along.
func (t *tour) keepData(ctx context.Context) error {
	device := "device-" + t.mark
	login := map[string]any{"TitleId": t.opt.Title, "CustomId": device, "CreateAccount": true}
	a, err := t.call(ctx, http.MethodPost, "/Client/LoginWithCustomID", login, false)
	if err != nil {
		return err
	}
	t.expect(a, http.StatusOK, "a device's id is another way to sign in")
	session := a.text("SessionTicket")
	a, err = t.call(ctx, http.MethodPost, "/Client/UpdateUserData", map[string]any{"Data": map[string]any{"level": "7"}, "Permission": "Public"}, false,
		"X-Authorization", session)
	if err != nil {
		return err
	}
	t.expect(a, http.StatusOK, "the player's game stores data")
	t.check("it is version 1", a.at("DataVersion") == 1.0, a.at("DataVersion"))
	login["InfoRequestParameters"] = map[string]any{"GetUserData": true, "UserDataKeys": []string{"level"}, "GetUserInventory": true}
	a, err = t.call(ctx, http.MethodPost, "/Client/LoginWithCustomID", login, false)
	if err != nil {
		return err
	}
	t.check("the next sign-in brings it along", a.text("InfoResultPayload.UserData.level.Value") == "7", a.at("InfoResultPayload.UserData"))
	t.check("and the account, with the id that was linked",
		a.text("InfoResultPayload.AccountInfo.CustomIdInfo.CustomId") == device, a.at("InfoResultPayload.AccountInfo"))
	a, err = t.call(ctx, http.MethodPost, "/Client/GetUserData", map[string]any{}, false, "X-Authorization", session+"x")
	if err != nil {
		return err
	}
	t.check("a ticket that was tampered with is NotAuthenticated 1074", a.text("error") == "NotAuthenticated" && a.at("errorCode") == 1074.0, a.text("error"))
	return nil
}

// digits turns the run's mark into a number-like text.
func digits(mark string) string {
	out := []byte(mark)
	for i, c := range out {
		if c >= 'a' {
			out[i] = '0' + (c-'a')%10
		}
	}
	return string(out)
}
