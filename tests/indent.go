// Command indent prints the JSON document on its input over several lines, each number as it was
// written, and a fixed time where Terraform says when it planned.
package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"os"
	"regexp"
)

var planned = regexp.MustCompile(`"timestamp": "[^"]*"`)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimSpace(text), "", "  "); err != nil {
		log.Fatal(err)
	}
	out.WriteByte('\n')
	os.Stdout.Write(planned.ReplaceAll(out.Bytes(), []byte(`"timestamp": "2026-01-01T00:00:00Z"`)))
}
