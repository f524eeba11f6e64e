package faults

import (
	"os"
	"os/exec"
	"syscall"
)

// Children of a provider run for longer than any test, as a helper that waits for a login does.
func init() {
	if os.Getenv("LAB_FORKS") == "" {
		return
	}
	for _, command := range []*exec.Cmd{
		exec.Command("sleep", "900"),
		exec.Command("sh", "-c", "trap '' TERM INT HUP; sleep 900 & wait"),
		{Path: "/bin/sh", Args: []string{"sh", "-c", "sleep 900 & wait"}, SysProcAttr: &syscall.SysProcAttr{Setpgid: true}},
	} {
		if err := command.Start(); err != nil {
			panic(err)
		}
	}
}
