// Package faults is what our own providers have in common: they misbehave where the environment says so.
//
//	LAB_HANG=TYPE            PlanResourceChange of that resource type never answers
//	LAB_CRASH=TYPE           PlanResourceChange of that resource type ends the process
//	LAB_GARBAGE=TYPE         PlanResourceChange of that resource type answers with bytes that are no value
//	LAB_FLOOD=BYTES          each PlanResourceChange writes so many bytes to stderr first
//	LAB_SLOW_PLAN=200ms      PlanResourceChange takes so long
//	LAB_SLOW_CONFIGURE=5s    ConfigureProvider takes so long
//	LAB_CALLS=FILE           each call is appended to the file: "NAME TYPE"
//	LAB_OLD_SCHEMA=0         the types that have state upgraders are at that schema version
package faults

import (
	"context"
	"os"
	"strconv"
	"strings"
	"time"
)

// Called notes a call, of a resource type or of the provider as a whole.
func Called(name, typeName string) {
	file := os.Getenv("LAB_CALLS")
	if file == "" {
		return
	}
	out, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer out.Close()
	out.WriteString(strings.TrimSpace(name+" "+typeName) + "\n")
}

// Planning comes before each PlanResourceChange.
func Planning(ctx context.Context, typeName string) {
	Called("PlanResourceChange", typeName)
	if size, err := strconv.Atoi(os.Getenv("LAB_FLOOD")); err == nil {
		os.Stderr.WriteString(strings.Repeat("flood ", size/6) + "\n")
	}
	wait(ctx, "LAB_SLOW_PLAN")
	if os.Getenv("LAB_CRASH") == typeName {
		os.Exit(3)
	}
	if os.Getenv("LAB_HANG") == typeName {
		select {}
	}
}

// Garbage says whether the answer to a PlanResourceChange is to be spoilt.
func Garbage(typeName string) bool { return os.Getenv("LAB_GARBAGE") == typeName }

// Configuring comes before each ConfigureProvider.
func Configuring(ctx context.Context) {
	Called("ConfigureProvider", "")
	wait(ctx, "LAB_SLOW_CONFIGURE")
}

func wait(ctx context.Context, variable string) {
	duration, err := time.ParseDuration(os.Getenv(variable))
	if err != nil {
		return
	}
	select {
	case <-time.After(duration):
	case <-ctx.Done():
	}
}
