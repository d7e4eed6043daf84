package sealed

import (
	"os"
	"os/exec"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Args[0] == "sealed-child" {
		// What a container could try with the file it runs from.
		for _, flags := range []int{os.O_WRONLY, os.O_RDWR | os.O_TRUNC, os.O_WRONLY | os.O_APPEND} {
			f, err := os.OpenFile("/proc/self/exe", flags, 0)
			if err != nil {
				continue
			}
			if _, err := f.Write([]byte("x")); err == nil {
				os.Exit(3)
			}
			if f.Truncate(0) == nil {
				os.Exit(4)
			}
		}
		os.Exit(7)
	}
	os.Exit(m.Run())
}

func TestCopyRunsAndCannotBeChanged(t *testing.T) {
	f, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command(Path(f))
	cmd.Args = []string{"sealed-child"}
	cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 7 {
		t.Errorf("exit code %d: the running copy could be changed, or did not run", code)
	}
	if _, err := f.WriteAt([]byte("x"), 0); err == nil {
		t.Error("the copy can be written")
	}
	if err := f.Truncate(1); err == nil {
		t.Error("the copy can be cut")
	}
}

func BenchmarkSelf(b *testing.B) {
	for b.Loop() {
		f, err := Self()
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}
