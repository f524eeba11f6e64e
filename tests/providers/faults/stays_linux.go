package faults

import (
	"os"
	"syscall"
)

// Packages are initialized on the first thread, which is the one that the signal belongs to.
func init() {
	if os.Getenv("LAB_STAYS") == "" {
		return
	}
	if _, _, err := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, 0, 0); err != 0 {
		panic(err)
	}
}
