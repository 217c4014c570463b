// An event loop in Go with a drive of ftlab, by cgo: goroutines that simulate clients would go the same way. It asks for
// what load.fio asks for, and ends with the hash of its run.
package main

// #cgo LDFLAGS: -lftlab_device
// #include <ftlab.h>
// #include <stdlib.h>
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"
)

// Completion is the end of a command.
type Completion struct {
	ID   uint64
	AtNs uint64
	Good bool
}

// Drive is a drive in virtual time. The caller owns the clock.
type Drive struct {
	device      *C.FtlabDevice
	ends        [64]C.FtlabCompletion
	outstanding int
}

// Open builds a drive of the catalogue in a state, with at most so many bytes.
func Open(name, state string, bytes uint64) (*Drive, error) {
	drive, of := C.CString(name), C.CString(state)
	defer C.free(unsafe.Pointer(drive))
	defer C.free(unsafe.Pointer(of))
	builder := C.ftlab_named(drive)
	defer C.ftlab_builder_free(builder)
	C.ftlab_shrink_to(builder, C.uint64_t(bytes))
	C.ftlab_state(builder, of)
	var device *C.FtlabDevice
	if C.ftlab_build(builder, &device) != C.FTLAB_STATUS_OK {
		return nil, errors.New(C.GoString(C.ftlab_builder_error(builder)))
	}
	return &Drive{device: device}, nil
}

// Close frees the drive.
func (d *Drive) Close() { C.ftlab_free(d.device) }

// Submit takes a command at the present.
func (d *Drive) Submit(operation uint32, id, offset, bytes, nowNs uint64) error {
	command := C.FtlabCommand{
		id:        C.uint64_t(id),
		offset:    C.uint64_t(offset),
		bytes:     C.uint64_t(bytes),
		operation: C.uint32_t(operation),
	}
	if C.ftlab_submit(d.device, &command, C.uint64_t(nowNs)) != C.FTLAB_STATUS_OK {
		return errors.New(C.GoString(C.ftlab_error(d.device)))
	}
	d.outstanding++
	return nil
}

// Next lets things happen up to the first instant at which something ends, and gives what did.
func (d *Drive) Next() []Completion {
	C.ftlab_advance_to_completion(d.device, C.UINT64_MAX)
	var done []Completion
	for {
		count := int(C.ftlab_completions(d.device, &d.ends[0], C.size_t(len(d.ends))))
		if count == 0 {
			d.outstanding -= len(done)
			return done
		}
		for _, end := range d.ends[:count] {
			done = append(done, Completion{uint64(end.id), uint64(end.at_ns), end.outcome == C.FTLAB_OUTCOME_GOOD})
		}
	}
}

// Hash is that of all ends so far.
func (d *Drive) Hash() uint64 { return uint64(C.ftlab_counters(d.device).completions_hash) }

func run() error {
	const requests, bytes, depth = 20000, 4096, 16
	drive, err := Open("samsung-980-pro-1000", "filled", 3<<30)
	if err != nil {
		return err
	}
	defer drive.Close()
	nowNs := uint64(0)
	wait := func(most int) {
		for drive.outstanding > most {
			done := drive.Next()
			nowNs = done[len(done)-1].AtNs
		}
	}
	for id := uint64(0); id < 2*requests; id++ {
		if id == requests {
			wait(0)
		}
		operation := uint32(C.FTLAB_OPERATION_WRITE)
		if id >= requests {
			operation = C.FTLAB_OPERATION_READ
		}
		if err := drive.Submit(operation, id, id%requests*bytes, bytes, nowNs); err != nil {
			return err
		}
		wait(depth - 1)
	}
	wait(0)
	fmt.Printf("%016x\n", drive.Hash())
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
