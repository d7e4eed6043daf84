package image

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ludgate/internal/hello"
)

// program is a binary and all it needs to run in an otherwise empty root.
type program struct {
	identity string // says which build it is
	files    []programFile
}

type programFile struct {
	path  string // in the image
	from  *os.File
	size  int64
	stamp string // tells versions of a shared library apart
}

// openProgram opens the binary at path ("" is the running one, even if its file
// was replaced or deleted since) and, when it is dynamically linked, as test
// binaries with cgo or the race detector are, its interpreter and libraries.
func openProgram(path string) (*program, error) {
	if path == "" {
		path = "/proc/self/exe"
	}
	p := &program{}
	binary, err := p.add(hello.Path, path)
	if err != nil {
		return nil, err
	}
	if err := p.describe(binary); err != nil {
		p.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p.files[0].stamp = "" // identity says it better than a time
	return p, nil
}

// Close closes the files.
func (p *program) Close() {
	for _, f := range p.files {
		f.from.Close()
	}
}

func (p *program) add(path, from string) (*os.File, error) {
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", from)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	p.files = append(p.files, programFile{path: path, from: f, size: info.Size(), stamp: info.ModTime().UTC().String()})
	return f, nil
}

// describe finds the identity of the binary and the files it needs.
func (p *program) describe(binary *os.File) error {
	bin, err := elf.NewFile(binary)
	if err != nil {
		return err
	}
	if p.identity = buildID(bin); p.identity == "" {
		h := sha256.New()
		if _, err := io.Copy(h, binary); err != nil {
			return err
		}
		if _, err := binary.Seek(0, io.SeekStart); err != nil {
			return err
		}
		p.identity = hex.EncodeToString(h.Sum(nil))
	}
	interpreter, err := interp(bin)
	if err != nil || interpreter == "" {
		return err
	}
	if _, err := p.add(interpreter, interpreter); err != nil {
		return err
	}
	return p.addLibraries(bin, map[string]bool{filepath.Base(interpreter): true})
}

// addLibraries adds what bin needs and what that needs in turn.
func (p *program) addLibraries(bin *elf.File, have map[string]bool) error {
	dirs := libraryDirs()
	queue := []*elf.File{bin}
	for len(queue) > 0 {
		needed, err := queue[0].ImportedLibraries()
		if err != nil {
			return err
		}
		queue = queue[1:]
		for _, soname := range needed {
			if have[soname] {
				continue
			}
			have[soname] = true
			lib, err := p.addLibrary(bin, soname, dirs)
			if err != nil {
				return err
			}
			queue = append(queue, lib)
		}
	}
	return nil
}

// addLibrary finds a library for the same machine as bin.
func (p *program) addLibrary(bin *elf.File, soname string, dirs []string) (*elf.File, error) {
	for _, dir := range dirs {
		path := filepath.Join(dir, soname)
		f, err := p.add(path, path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		lib, err := elf.NewFile(f)
		if err == nil && lib.Class == bin.Class && lib.Machine == bin.Machine {
			return lib, nil
		}
		f.Close()
		p.files = p.files[:len(p.files)-1]
	}
	return nil, fmt.Errorf("the shared library %s is not in %s", soname, strings.Join(dirs, ", "))
}

// interp gives the program interpreter; "" of a static binary.
func interp(bin *elf.File) (string, error) {
	for _, prog := range bin.Progs {
		if prog.Type != elf.PT_INTERP {
			continue
		}
		if prog.Filesz > 4096 {
			return "", errors.New("the interpreter's name is too long")
		}
		name, err := io.ReadAll(prog.Open())
		return string(bytes.TrimRight(name, "\x00")), err
	}
	return "", nil
}

// buildID gives the Go linker's build id, which covers the content of the whole
// binary; "" when there is none.
func buildID(bin *elf.File) string {
	section := bin.Section(".note.go.buildid")
	if section == nil {
		return ""
	}
	note, err := section.Data()
	// Name size, description size, type, name "Go\0\0", description.
	if err != nil || len(note) < 16 || string(note[12:14]) != "Go" {
		return ""
	}
	size := bin.ByteOrder.Uint32(note[4:])
	if uint64(size) > uint64(len(note)-16) {
		return ""
	}
	return string(note[16 : 16+size])
}

// libraryDirs is where the dynamic linker looks: the directories it knows by
// itself, which it also searches without a cache as in the image, before those
// of its configuration.
func libraryDirs() []string {
	var dirs []string
	for _, pattern := range []string{"/lib/*-linux-gnu*", "/usr/lib/*-linux-gnu*", "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"} {
		found, _ := filepath.Glob(pattern) // the patterns are right
		dirs = append(dirs, found...)
	}
	return append(dirs, configuredDirs("/etc/ld.so.conf", 0)...)
}

// configuredDirs reads a configuration file of the dynamic linker.
func configuredDirs(path string, depth int) []string {
	f, err := os.Open(path)
	if err != nil || depth > 4 {
		return nil
	}
	defer f.Close()
	var dirs []string
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0:
		case fields[0] == "include":
			for _, pattern := range fields[1:] {
				if !filepath.IsAbs(pattern) {
					pattern = filepath.Join(filepath.Dir(path), pattern)
				}
				found, _ := filepath.Glob(pattern)
				for _, file := range found {
					dirs = append(dirs, configuredDirs(file, depth+1)...)
				}
			}
		case filepath.IsAbs(fields[0]) && !slices.Contains(dirs, fields[0]):
			dirs = append(dirs, fields[0])
		}
	}
	return dirs
}
