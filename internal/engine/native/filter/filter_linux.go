//go:build linux && (amd64 || arm64)

package filter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/moby/profiles/seccomp"
	specs "github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Default gives the profile that containers of the field run under, for the
// bounding capabilities of spec.
func Default(spec *specs.Spec) (*specs.LinuxSeccomp, error) {
	return seccomp.GetDefaultProfile(spec)
}

// Offsets in struct seccomp_data.
const (
	offsetNumber       = 0
	offsetArchitecture = 4
	offsetArguments    = 16
)

// maxInstructions is the kernel's limit (BPF_MAXINSNS).
const maxInstructions = 4096

// Compile gives the program of a profile as struct sock_filter[].
func Compile(profile *specs.LinuxSeccomp) ([]byte, error) {
	fallback, err := action(profile.DefaultAction, profile.DefaultErrnoRet)
	if err != nil {
		return nil, err
	}
	rules, order, err := byNumber(profile)
	if err != nil {
		return nil, err
	}

	enosys := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: offsetArchitecture, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		enosys,
		bpf.LoadAbsolute{Off: offsetNumber, Size: 4},
	}
	if foreignBit != 0 {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: foreignBit, SkipTrue: 1}, enosys)
	}
	for _, number := range order {
		block, err := compileCall(rules[number], fallback)
		if err != nil {
			return nil, fmt.Errorf("call %d: %w", number, err)
		}
		if len(block) > 255 {
			return nil, fmt.Errorf("call %d: too many conditions", number)
		}
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: number, SkipTrue: uint8(len(block))})
		program = append(program, block...)
	}
	program = append(program, bpf.RetConstant{Val: fallback})
	if len(program) > maxInstructions {
		return nil, fmt.Errorf("the profile needs %d instructions, the kernel takes %d", len(program), maxInstructions)
	}

	raw, err := bpf.Assemble(program)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, 8*len(raw))
	for _, in := range raw {
		out = binary.NativeEndian.AppendUint16(out, in.Op)
		out = append(out, in.Jt, in.Jf)
		out = binary.NativeEndian.AppendUint32(out, in.K)
	}
	return out, nil
}

// rule is what happens to a call when all its conditions hold.
type rule struct {
	action uint32
	args   []specs.LinuxSeccompArg
}

// byNumber collects the rules of each call, in the profile's order.
func byNumber(profile *specs.LinuxSeccomp) (rules map[uint32][]rule, order []uint32, err error) {
	rules = map[uint32][]rule{}
	for _, call := range profile.Syscalls {
		act, err := action(call.Action, call.ErrnoRet)
		if err != nil {
			return nil, nil, err
		}
		for _, name := range call.Names {
			number, ok := numbers[name]
			if !ok {
				continue
			}
			if _, seen := rules[number]; !seen {
				order = append(order, number)
			}
			rules[number] = append(rules[number], rule{act, call.Args})
		}
	}
	slices.Sort(order)
	return rules, order, nil
}

// action gives the value a filter returns.
func action(a specs.LinuxSeccompAction, errno *uint) (uint32, error) {
	code := uint32(unix.EPERM)
	if errno != nil {
		code = uint32(*errno) & unix.SECCOMP_RET_DATA
	}
	switch a {
	case specs.ActAllow:
		return unix.SECCOMP_RET_ALLOW, nil
	case specs.ActErrno:
		return unix.SECCOMP_RET_ERRNO | code, nil
	case specs.ActKill, specs.ActKillThread:
		return unix.SECCOMP_RET_KILL_THREAD, nil
	case specs.ActKillProcess:
		return unix.SECCOMP_RET_KILL_PROCESS, nil
	case specs.ActTrap:
		return unix.SECCOMP_RET_TRAP, nil
	case specs.ActLog:
		return unix.SECCOMP_RET_LOG, nil
	default:
		return 0, fmt.Errorf("action %s is not supported", a)
	}
}

// compileCall gives the instructions for one call: each rule's conditions, its
// action, and the fallback when none holds. A rule without conditions ends it.
func compileCall(rules []rule, fallback uint32) ([]bpf.Instruction, error) {
	for _, r := range rules {
		if len(r.args) == 0 {
			return []bpf.Instruction{bpf.RetConstant{Val: r.action}}, nil
		}
	}
	var block []bpf.Instruction
	for _, r := range rules {
		var tests []bpf.Instruction
		// From the last condition to the first, so that each knows how far it
		// is to the next rule: over the action, which is behind all of them.
		for _, arg := range slices.Backward(r.args) {
			test, err := condition(arg, 1+len(tests))
			if err != nil {
				return nil, err
			}
			tests = append(test, tests...)
		}
		block = append(block, tests...)
		block = append(block, bpf.RetConstant{Val: r.action})
	}
	return append(block, bpf.RetConstant{Val: fallback}), nil
}

// condition gives instructions that run through when arg holds, and else skip
// over what follows, which is over instructions long.
func condition(arg specs.LinuxSeccompArg, over int) ([]bpf.Instruction, error) {
	if arg.Index > 5 {
		return nil, fmt.Errorf("argument %d does not exist", arg.Index)
	}
	if over > 200 {
		return nil, errors.New("too many conditions")
	}
	// Both architectures are little-endian: the high half is the second word.
	low := bpf.LoadAbsolute{Off: offsetArguments + 8*uint32(arg.Index), Size: 4}
	high := bpf.LoadAbsolute{Off: low.Off + 4, Size: 4}
	vLow, vHigh := uint32(arg.Value), uint32(arg.Value>>32)
	fail := uint8(over)

	switch arg.Op {
	case specs.OpEqualTo:
		return []bpf.Instruction{
			high, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: vHigh, SkipTrue: 2 + fail},
			low, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: vLow, SkipTrue: fail},
		}, nil
	case specs.OpNotEqual:
		return []bpf.Instruction{
			high, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: vHigh, SkipTrue: 2},
			low, bpf.JumpIf{Cond: bpf.JumpEqual, Val: vLow, SkipTrue: fail},
		}, nil
	case specs.OpMaskedEqual: // Value is the mask, ValueTwo what is left
		wLow, wHigh := uint32(arg.ValueTwo), uint32(arg.ValueTwo>>32)
		return []bpf.Instruction{
			high, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: vHigh},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: wHigh, SkipTrue: 3 + fail},
			low, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: vLow},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: wLow, SkipTrue: fail},
		}, nil
	case specs.OpGreaterThan, specs.OpGreaterEqual:
		last := bpf.JumpGreaterThan
		if arg.Op == specs.OpGreaterEqual {
			last = bpf.JumpGreaterOrEqual
		}
		return []bpf.Instruction{
			high, bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: vHigh, SkipTrue: 3},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: vHigh, SkipTrue: 2 + fail},
			low, bpf.JumpIf{Cond: last, Val: vLow, SkipFalse: fail},
		}, nil
	case specs.OpLessThan, specs.OpLessEqual:
		last := bpf.JumpLessThan
		if arg.Op == specs.OpLessEqual {
			last = bpf.JumpLessOrEqual
		}
		return []bpf.Instruction{
			high, bpf.JumpIf{Cond: bpf.JumpLessThan, Val: vHigh, SkipTrue: 3},
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: vHigh, SkipTrue: 2 + fail},
			low, bpf.JumpIf{Cond: last, Val: vLow, SkipFalse: fail},
		}, nil
	default:
		return nil, fmt.Errorf("operator %s is not supported", arg.Op)
	}
}
