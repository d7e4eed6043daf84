//go:build !unix

package pgtest

import "errors"

func start() (string, error) {
	return "", errors.New("starting a server is for Unix systems only; set " + Env + " to a URL")
}
