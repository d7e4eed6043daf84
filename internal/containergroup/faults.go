package containergroup

import (
	"fmt"
	"net/http"
	"strings"

	"ludgate"
)

// maxFaults is how many faults of one request are told; the rest of a request
// that is wrong in so many places is not looked at.
const maxFaults = 50

// faults collects what is wrong with a request.
type faults []*ludgate.Error

// add notes a fault of the member at target.
func (f *faults) add(code, target, format string, args ...any) {
	f.note(ludgate.Errorf(ludgate.Invalid, code, format, args...).At(target))
}

func (f *faults) note(e *ludgate.Error) {
	if len(*f) < maxFaults {
		*f = append(*f, e)
	}
}

// full reports whether looking for more is of no use.
func (f *faults) full() bool { return len(*f) >= maxFaults }

// err gives nothing, the one fault under its own code, or MultipleErrorsOccurred
// with all of them in the details.
func (f *faults) err() error {
	switch all := *f; len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	default:
		words := make([]string, 0, len(all))
		for _, e := range all {
			words = append(words, fmt.Sprintf("'%s':'%s':'%s'", strings.ReplaceAll(http.StatusText(http.StatusBadRequest), " ", ""), e.Code, e.Message))
		}
		e := ludgate.Errorf(ludgate.Invalid, "MultipleErrorsOccurred", "Multiple error occurred: %s", strings.Join(words, ";"))
		e.Details = all
		return e
	}
}

// clip shortens a caller's text for a message.
func clip(s string) string {
	const most = 128
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most]) + "…"
}
