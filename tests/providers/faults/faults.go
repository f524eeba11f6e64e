// Package faults is what our own providers have in common: they misbehave where the environment says so.
//
//	LAB_HANG=TYPE            PlanResourceChange of that resource type never answers
//	LAB_CRASH=TYPE           PlanResourceChange of that resource type ends the process
//	LAB_GARBAGE=TYPE         PlanResourceChange of that resource type answers with bytes that are no value
//	LAB_HUGE=TYPE            PlanResourceChange of that resource type answers with a list that claims 4 billion elements
//	LAB_GROW=TYPE            PlanResourceChange of that resource type takes memory up to 1 GiB, and never answers
//	LAB_FLOOD=BYTES          each PlanResourceChange writes so many bytes to stderr first
//	LAB_SLOW_PLAN=200ms      PlanResourceChange takes so long
//	LAB_SLOW_CONFIGURE=5s    ConfigureProvider takes so long
//	LAB_TOKENS=HOST:PORT     ConfigureProvider needs LAB_REGION, and a token from this address within 20 s
//	LAB_META=TYPE            PlanResourceChange of that resource type ends the process unless the provider is configured
//	LAB_CALLS=FILE           each call is appended to the file: "NAME TYPE"
//	LAB_STAYS=1              the process doesn't end with its parent (Linux)
//	LAB_FORKS=1              the process starts children: in its own group, in other groups, and a child of a child
//	LAB_OLD_SCHEMA=0         the types that have state upgraders are at that schema version
package faults

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
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
	if os.Getenv("LAB_CRASH") == typeName || os.Getenv("LAB_META") == typeName && !configured.Load() {
		os.Exit(3)
	}
	for os.Getenv("LAB_GROW") == typeName && len(held) < 64 {
		held = append(held, bytes.Repeat([]byte{1}, 16<<20))
	}
	if os.Getenv("LAB_HANG") == typeName || held != nil {
		select {}
	}
}

// held is what LAB_GROW took.
var held [][]byte

// Garbage is what is answered to a PlanResourceChange in place of a value, if anything.
func Garbage(typeName string) []byte {
	switch typeName {
	case os.Getenv("LAB_GARBAGE"):
		return []byte{0xc1, 0xff}
	case os.Getenv("LAB_HUGE"):
		return []byte{0xdd, 0xff, 0xff, 0xff, 0xff}
	}
	return nil
}

// Configuring comes before each ConfigureProvider. It answers why the provider refuses, if it does.
func Configuring(ctx context.Context) error {
	Called("ConfigureProvider", "")
	wait(ctx, "LAB_SLOW_CONFIGURE")
	if err := login(ctx); err != nil {
		return err
	}
	configured.Store(true)
	return nil
}

var configured atomic.Bool

// login behaves as the providers of large clouds do.
func login(ctx context.Context) error {
	tokens := os.Getenv("LAB_TOKENS")
	if tokens == "" {
		return nil
	}
	if os.Getenv("LAB_REGION") == "" {
		return errors.New("Missing region: set LAB_REGION")
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, "http://"+tokens+"/latest/api/token", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("No valid credential sources found: %w", err)
	}
	return response.Body.Close()
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
