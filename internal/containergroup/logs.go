package containergroup

import (
	"context"
	"errors"
	"io"
	"strings"

	"ludgate"
	"ludgate/internal/access"
	"ludgate/internal/engine"
)

// maxLog is how much of a log one reply carries: its newest part, in bytes.
const maxLog = 4 << 20

// Logs gives what a container or init container printed. A known container that
// has not printed yet gives an empty text.
func (s *Service) Logs(ctx context.Context, id ID, namespace, container string, opt engine.LogOptions) (*Logs, error) {
	if err := access.Management(ctx, namespace+"/containerGroups/containers/logs/read", id.path(namespace)); err != nil {
		return nil, err
	}
	g, err := s.find(ctx, id, namespace)
	if err != nil {
		return nil, err
	}
	name := strings.ToLower(container)
	if !g.hasContainer(name) {
		return nil, ludgate.Errorf(ludgate.NotFound, "ContainerNotFound", "The container '%s' was not found in container group '%s'.", clip(container), g.ID.Name)
	}
	if err := s.needEngine(); err != nil {
		return nil, err
	}
	log, err := s.opt.Engine.Logs(ctx, g.key, name, opt)
	if errors.Is(err, engine.ErrUnknownGroup) || errors.Is(err, engine.ErrUnknownContainer) {
		return &Logs{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer log.Close()
	text, err := newest(log, maxLog)
	if err != nil {
		return nil, err
	}
	return &Logs{Content: strings.ToValidUTF8(string(text), "\uFFFD")}, nil
}

// newest reads to the end and gives the last size bytes.
func newest(r io.Reader, size int) ([]byte, error) {
	var buf []byte
	chunk := make([]byte, 32<<10)
	for {
		n, err := r.Read(chunk)
		buf = append(buf, chunk[:n]...)
		if len(buf) > 2*size {
			buf = append(buf[:0], buf[len(buf)-size:]...)
		}
		if errors.Is(err, io.EOF) {
			return buf[max(0, len(buf)-size):], nil
		}
		if err != nil {
			return nil, err
		}
	}
}
