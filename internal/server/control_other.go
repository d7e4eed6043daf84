//go:build !unix

package server

import (
	"context"
	"fmt"
	"net"
)

// listenControl says that there is no socket here that only the owner of a
// directory can open.
func listenControl(string) (net.Listener, error) {
	return nil, fmt.Errorf("%w on this system", errNoControl)
}

// dialControl finds no server.
func dialControl(context.Context, string) (net.Conn, error) {
	return nil, fmt.Errorf("%w on this system", errNoControl)
}
