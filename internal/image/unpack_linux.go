package image

import (
	"archive/tar"
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/containerd/containerd/v2/pkg/archive"
	"github.com/containerd/continuity/fs"
	"github.com/containerd/log"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/sirupsen/logrus"
	"golang.org/x/sys/unix"
)

// unpack makes the layer chain of a blob: it unpacks aside, checks that the blob
// is the one described and its content the one of diffID, and publishes. below
// are the unpacked layers under it, highest first.
func (s *Store) unpack(ctx context.Context, blob io.Reader, d v1.Descriptor, chain string, diffID v1.Hash, below []string, left budget) error {
	aside, err := os.MkdirTemp(filepath.Join(s.dir, "tmp"), "layer-")
	if err != nil {
		return err
	}
	defer removeAll(aside)
	root := filepath.Join(aside, "fs")
	if err := os.Mkdir(root, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(root, 0o755); err != nil { // whatever the umask is
		return err
	}

	packed := newChecked(blob, d)
	plain, err := decompress(bufio.NewReaderSize(packed, 256<<10))
	if err != nil {
		return permanently(fmt.Errorf("layer %s: %w", d.Digest, err))
	}
	defer plain.Close()
	content := &limited{from: plain, left: left.stream(), hash: sha256.New()}
	f := &filter{root: root, left: left, rootless: s.userXattr}
	if err := f.apply(ctx, content, below); err != nil {
		return layerError(d, root, err)
	}
	// The archive's end is not the stream's: the rest counts for both digests.
	if _, err := io.Copy(io.Discard, content); err != nil {
		return layerError(d, root, err)
	}
	if err := packed.verify(); err != nil {
		return layerError(d, root, err)
	}
	if got := hex.EncodeToString(content.hash.Sum(nil)); got != diffID.Hex {
		return layerError(d, root, fmt.Errorf("its content has the digest sha256:%s where the image configuration says %s", got, diffID))
	}
	return s.publishLayer(aside, layer{Chain: chain, Size: left.bytes - f.left.bytes, Entries: left.entries - f.left.entries}, true)
}

// layerError says which layer failed. Unless this machine is at fault, the image
// is, and will be next time.
func layerError(d v1.Descriptor, root string, err error) error {
	text := strings.ReplaceAll(err.Error(), root, "")
	for _, ours := range []error{
		context.Canceled, context.DeadlineExceeded, os.ErrClosed, unix.ENOSPC, unix.EDQUOT, unix.EIO,
		unix.EROFS, unix.ENOMEM, unix.EMFILE, unix.ENFILE, unix.EACCES, unix.EPERM,
	} {
		if errors.Is(err, ours) {
			return fmt.Errorf("layer %s: %s%w", d.Digest, text, silent{ours})
		}
	}
	return permanently(fmt.Errorf("layer %s: %s", d.Digest, text))
}

// silent carries a cause whose text was given already.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

// filter decides on the entries of one layer's archive.
type filter struct {
	root     string
	rootless bool
	left     budget
	seen     map[string]bool        // every directory, named or implied, by its name in the archive
	modes    map[string]os.FileMode // rootless: of named directories
	deleted  []string               // where whiteouts were made
}

// apply unpacks an archive into root.
func (f *filter) apply(ctx context.Context, r io.Reader, below []string) error {
	f.seen = map[string]bool{}
	f.modes = map[string]os.FileMode{}
	options := []archive.ApplyOpt{archive.WithFilter(f.accept), archive.WithConvertWhiteout(f.whiteout)}
	if f.rootless {
		options = append(options, archive.WithNoSameOwner())
	} else {
		options = append(options, archive.WithParents(below))
	}
	quiet := logrus.New()
	quiet.SetOutput(io.Discard)
	ctx = log.WithLogger(ctx, logrus.NewEntry(quiet))
	if _, err := archive.Apply(ctx, f.root, r, options...); err != nil {
		return err
	}
	for _, path := range f.deleted {
		if err := f.settle(path, below); err != nil {
			return err
		}
	}
	if f.rootless {
		return f.setModes(below)
	}
	return nil
}

// accept checks one entry, whose name is clean, and takes out what it may not
// have.
func (f *filter) accept(h *tar.Header) (bool, error) {
	name := strings.TrimPrefix(h.Name, "/")
	if len(name) > f.left.path || len(h.Linkname) > f.left.path {
		return false, fmt.Errorf("a path is longer than the limit of %d bytes", f.left.path)
	}
	if name == ".." || strings.HasPrefix(name, "../") {
		return false, fmt.Errorf("the path %q leaves the image", h.Name)
	}
	if h.Uid < 0 || h.Uid > math.MaxInt32 || h.Gid < 0 || h.Gid > math.MaxInt32 {
		return false, fmt.Errorf("%q belongs to %d:%d, which are no user and group", h.Name, h.Uid, h.Gid)
	}
	switch h.Typeflag {
	case tar.TypeChar, tar.TypeBlock, tar.TypeXGlobalHeader:
		return false, nil // a container gets its devices from the engine
	case tar.TypeCont, tar.TypeGNUSparse:
		h.Typeflag = tar.TypeReg
	}
	base := path.Base(name)
	if strings.HasPrefix(base, metaPrefix) && base != opaqueMarker {
		return false, nil // notes of old union file systems
	}
	if err := f.count(name, h); err != nil {
		return false, err
	}
	for key := range h.PAXRecords {
		if attribute, ok := strings.CutPrefix(key, "SCHILY.xattr."); ok && !f.keepXattr(attribute, h) {
			delete(h.PAXRecords, key)
		}
	}
	if f.rootless && h.Typeflag == tar.TypeDir && name != "" && name != "." {
		// An ordinary user cannot fill a directory without permission to write;
		// its own mode comes when all is in it.
		f.modes[name] = h.FileInfo().Mode()
		h.Mode |= 0o700
	}
	return true, nil
}

// count charges an entry, and the directories it implies, to the budget.
func (f *filter) count(name string, h *tar.Header) error {
	if h.Typeflag != tar.TypeDir || !f.seen[name] {
		f.left.entries--
	}
	if h.Typeflag == tar.TypeDir {
		f.seen[name] = true
	}
	for dir := path.Dir(name); dir != "." && !f.seen[dir]; dir = path.Dir(dir) {
		f.seen[dir] = true
		f.left.entries--
	}
	if h.Typeflag == tar.TypeReg {
		// The size a sparse file will have, not the bytes that are sent.
		if h.Size < 0 || h.Size > f.left.bytes {
			return errBudget
		}
		f.left.bytes -= h.Size
	}
	if f.left.entries < 0 {
		return errBudget
	}
	return nil
}

// keepXattr keeps file capabilities and the user's own attributes. trusted.*
// and user.overlay.* steer overlayfs itself; others belong to this machine.
func (f *filter) keepXattr(name string, h *tar.Header) bool {
	if name == "security.capability" {
		return !f.rootless
	}
	if !strings.HasPrefix(name, "user.") || strings.HasPrefix(name, "user.overlay.") {
		return false
	}
	return !f.rootless || h.Mode&0o200 != 0 // else the owner may not set them
}

const (
	metaPrefix   = ".wh..wh."
	opaqueMarker = ".wh..wh..opq"
	whiteoutMark = ".wh."
)

// whiteout turns the archive's marks of deletion into overlayfs's. The archive
// package has checked that path and what it names lie inside root.
func (f *filter) whiteout(h *tar.Header, path string) (bool, error) {
	base, dir := filepath.Base(path), filepath.Dir(path)
	if base == opaqueMarker {
		return false, f.opaque(dir)
	}
	name, ok := strings.CutPrefix(base, whiteoutMark)
	if !ok {
		return true, nil
	}
	if name == "" || name == "." || name == ".." {
		return false, fmt.Errorf("the whiteout %q names nothing", h.Name)
	}
	deleted := filepath.Join(dir, name)
	// What the same layer puts there stays.
	if err := unix.Mknod(deleted, unix.S_IFCHR, 0); err != nil && err != unix.EEXIST {
		return false, &os.PathError{Op: "mknod", Path: deleted, Err: err}
	}
	f.deleted = append(f.deleted, deleted)
	return false, nil
}

// settle looks at a deletion again when the layer is whole.
func (f *filter) settle(path string, below []string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil // gone with its directory
	case info.IsDir():
		// A directory that replaces one of a lower layer hides what was in that.
		return f.opaque(path)
	case info.Mode()&os.ModeCharDevice == 0:
		return nil // replaced
	}
	// Overlayfs hides a mark of deletion only in directories that it merges with
	// lower ones. Elsewhere it would show, so it must go where nothing is below.
	rel, err := filepath.Rel(f.root, path)
	if err != nil {
		return err
	}
	if !f.isOpaque(filepath.Dir(path)) {
		for _, root := range below {
			dir, err := fs.RootPath(root, filepath.Dir(rel))
			if err != nil {
				return err
			}
			if _, err := os.Lstat(filepath.Join(dir, filepath.Base(rel))); err == nil {
				return nil
			}
		}
	}
	return os.Remove(path)
}

func (f *filter) opaqueAttribute() string {
	if f.rootless {
		return "user.overlay.opaque"
	}
	return "trusted.overlay.opaque"
}

func (f *filter) isOpaque(dir string) bool {
	n, err := unix.Lgetxattr(dir, f.opaqueAttribute(), make([]byte, 1))
	return err == nil && n == 1
}

func (f *filter) opaque(dir string) error {
	attribute := f.opaqueAttribute()
	if err := unix.Lsetxattr(dir, attribute, []byte("y"), 0); err != nil {
		return &os.PathError{Op: "setxattr " + attribute, Path: dir, Err: err}
	}
	return nil
}
