package image

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// files is what Load reads from: a directory or an archive.
type files interface {
	has(name string) bool
	// open opens a file by a slash-separated name; an absent one is
	// fs.ErrNotExist. Names may come from untrusted documents.
	open(name string) (io.ReadCloser, error)
	Close() error
}

func (s *Store) openFiles(ctx context.Context, path string) (files, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		root, err := os.OpenRoot(path)
		if err != nil {
			return nil, err
		}
		return directory{root}, nil
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is neither a file nor a directory")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if f, err = s.uncompressed(ctx, f); err != nil {
		return nil, err
	}
	a, err := readArchive(ctx, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return a, nil
}

// uncompressed gives f itself or, if it is compressed, a file without a name
// that has its content: archives are read out of order.
func (s *Store) uncompressed(ctx context.Context, f *os.File) (*os.File, error) {
	buffered := bufio.NewReaderSize(f, 1<<20)
	magic, err := buffered.Peek(262)
	if err == nil && string(magic[257:]) == "ustar" {
		_, err = f.Seek(0, io.SeekStart)
		return f, err
	}
	defer f.Close()
	plain, err := decompress(buffered)
	if err != nil {
		return nil, err
	}
	defer plain.Close()
	to, err := os.CreateTemp(filepath.Join(s.dir, "tmp"), "archive-")
	if err != nil {
		return nil, err
	}
	err = os.Remove(to.Name())
	if err == nil {
		var n int64
		n, err = io.Copy(to, io.LimitReader(&cancelable{ctx, plain}, s.opt.Limits.Unpacked+1))
		if err == nil && n > s.opt.Limits.Unpacked {
			err = errBudget
		}
	}
	if err == nil {
		_, err = to.Seek(0, io.SeekStart)
	}
	if err != nil {
		to.Close()
		return nil, err
	}
	return to, nil
}

// cancelable is a reader that fails once its context has ended.
type cancelable struct {
	ctx  context.Context
	from io.Reader
}

// Read implements io.Reader.
func (c *cancelable) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.from.Read(p)
}

// directory is a directory that no name leads out of.
type directory struct{ root *os.Root }

func (d directory) has(name string) bool {
	_, err := d.root.Stat(name)
	return err == nil
}

func (d directory) open(name string) (io.ReadCloser, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close implements io.Closer.
func (d directory) Close() error { return d.root.Close() }

// tarFile is an archive with a table of where its files lie.
type tarFile struct {
	file  *os.File
	files map[string]section
	links map[string]string
}

type section struct{ offset, size int64 }

// maxArchiveFiles is far more than blobs of any images that fit into one file.
const maxArchiveFiles = 100_000

func readArchive(ctx context.Context, f *os.File) (*tarFile, error) {
	t := &tarFile{file: f, files: map[string]section{}, links: map[string]string{}}
	r := tar.NewReader(f)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		h, err := r.Next()
		if err == io.EOF {
			return t, nil
		}
		if err != nil {
			return nil, fmt.Errorf("it is not a whole tar archive: %w", err)
		}
		if len(t.files)+len(t.links) >= maxArchiveFiles {
			return nil, fmt.Errorf("it holds more than %d files", maxArchiveFiles)
		}
		name := inArchive(h.Name)
		switch h.Typeflag {
		case tar.TypeReg:
			if sparse(h) {
				return nil, fmt.Errorf("%s is a sparse file, which is not supported", h.Name)
			}
			// The tar reader reads no further than it must, so the content of
			// the file starts where the archive stands now.
			offset, err := f.Seek(0, io.SeekCurrent)
			if err != nil {
				return nil, err
			}
			t.files[name] = section{offset, h.Size}
		case tar.TypeSymlink:
			t.links[name] = inArchive(path.Join(path.Dir(name), h.Linkname))
		case tar.TypeLink:
			t.links[name] = inArchive(h.Linkname)
		}
	}
}

func sparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// inArchive is the one form of a name inside an archive.
func inArchive(name string) string { return strings.TrimPrefix(path.Clean("/"+name), "/") }

func (t *tarFile) find(name string) (section, bool) {
	name = inArchive(name)
	for range 8 { // old archives link layers that images share
		if s, ok := t.files[name]; ok {
			return s, true
		}
		next, ok := t.links[name]
		if !ok {
			break
		}
		name = next
	}
	return section{}, false
}

func (t *tarFile) has(name string) bool {
	_, ok := t.find(name)
	return ok
}

func (t *tarFile) open(name string) (io.ReadCloser, error) {
	s, ok := t.find(name)
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(io.NewSectionReader(t.file, s.offset, s.size)), nil
}

// Close implements io.Closer.
func (t *tarFile) Close() error { return t.file.Close() }
