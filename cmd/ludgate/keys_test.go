package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ludgate/internal/ticket"
)

// TestRotateUnderARunningServer: a running server takes over a rotation by
// itself: what the new key signs is good there, and so is what the old one signed.
func TestRotateUnderARunningServer(t *testing.T) {
	p := start(t, t.TempDir(), "dev", "--engine", "simulated")
	status, in := p.call("POST", "/Client/RegisterPlatformUser", playerBody)
	if status != 200 {
		t.Fatalf("register: %d %v", status, in)
	}
	accepted := func(session string) bool {
		status, _ := p.call("POST", "/Authentication/GetEntityToken", "{}", "X-Authorization", session)
		return status == 200
	}
	cmd := exec.Command(os.Args[0], "keys", "rotate", "--data", p.dir)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out, err := cmd.CombinedOutput()
	mustf(t, err, "rotate: %s", out)

	// Another node whose clock is beyond the moment from which the new key signs.
	ring, err := ticket.OpenRing(filepath.Join(p.dir, "keys"), ticket.FileName, func() time.Time { return time.Now().Add(2 * ticket.RotationDelay) })
	mustf(t, err, "open the keys")
	old := in["SessionTicket"].(string)
	claims, err := ticket.NewIssuer(ring, time.Now).CheckSession(old)
	mustf(t, err, "the ticket")
	fresh := ticket.NewIssuer(ring, time.Now).Session(claims.Bearer)
	end := time.Now().Add(10 * time.Second)
	for !accepted(fresh) && time.Now().Before(end) {
		time.Sleep(20 * time.Millisecond)
	}
	if !accepted(fresh) {
		t.Errorf("a ticket of the new key is not good\n%s", p.log)
	}
	if !accepted(old) {
		t.Errorf("a ticket of before the rotation is no longer good\n%s", p.log)
	}
	p.stop()
}
