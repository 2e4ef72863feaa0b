// Package driver is a client as a program: one JSON command a line in, one JSON answer a line out, as drivers/driver.py says.
package driver

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"
)

// Patience is for what must happen; it is never waited out when it does.
const Patience = 60 * time.Second

const longestLine = 64 << 20

// Record is one record in both directions; bytes are hexadecimal, nil is null.
type Record struct {
	Key       *string      `json:"key"`
	Value     *string      `json:"value"`
	Timestamp *int64       `json:"timestamp"`
	Headers   [][2]*string `json:"headers"`
	Offset    *int64       `json:"offset"`
}

// Command is what a test asks for.
type Command struct {
	Do         string             `json:"do"`
	Topic      string             `json:"topic"`
	Partition  int32              `json:"partition"`
	Partitions int32              `json:"partitions"`
	Records    []Record           `json:"records"`
	Acks       string             `json:"acks"`
	Codec      string             `json:"codec"`
	Idempotent bool               `json:"idempotent"`
	Count      int                `json:"count"`
	Before     int64              `json:"before"`
	Changes    map[string]*string `json:"changes"`
	Start      struct {
		Tail      *int64 `json:"tail"`
		Offset    *int64 `json:"offset"`
		Timestamp *int64 `json:"timestamp"`
	} `json:"start"`
}

// Client is one library behind the commands. An error is the answer to its command.
type Client interface {
	Create(ctx context.Context, topic string, partitions int32) error
	Delete(ctx context.Context, topic string) error
	PartitionsOf(ctx context.Context, topic string) ([]int32, error)
	Configs(ctx context.Context, topic string) (map[string]*string, error)
	// AlterConfigs sets, or where the value is nil deletes.
	AlterConfigs(ctx context.Context, topic string, changes map[string]*string) error
	// DeleteRecords tells the first offset that is left.
	DeleteRecords(ctx context.Context, topic string, partition int32, before int64) (int64, error)
	// Produce tells the offsets, or nil with acks=0.
	Produce(ctx context.Context, command Command) ([]int64, error)
	Read(ctx context.Context, command Command) ([]Record, error)
}

// Bytes of a text in hexadecimal; nil of nil.
func Bytes(text *string) []byte {
	if text == nil {
		return nil
	}
	data, err := hex.DecodeString(*text)
	if err != nil {
		panic(err) // the test's own text
	}
	if data == nil {
		data = []byte{}
	}
	return data
}

// Hex is the other way.
func Hex(data []byte) *string {
	if data == nil {
		return nil
	}
	text := hex.EncodeToString(data)
	return &text
}

// What the tests of groups need; no driver in Go has it.
var groups = []string{"static members", "cooperative rebalances", "waiting for a broker", "listing of groups", "description of groups",
	"committed offsets", "altering of offsets", "deletion of offsets", "deletion of groups"}

// Serve answers until its input ends.
func Serve(client Client, version string, cannot ...string) {
	answers := json.NewEncoder(os.Stdout)
	os.Stdout = os.Stderr // whatever a library prints
	commands := bufio.NewScanner(os.Stdin)
	commands.Buffer(nil, longestLine)
	for commands.Scan() {
		var command Command
		answer := map[string]any{}
		err := json.Unmarshal(commands.Bytes(), &command)
		if err == nil && command.Do == "hello" {
			answer["ok"] = map[string]any{"version": version, "cannot": append(append([]string{}, groups...), cannot...)}
		} else if err == nil {
			answer["ok"], err = run(client, command)
		}
		if err != nil {
			answer = map[string]any{"error": err.Error()}
		}
		if err := answers.Encode(answer); err != nil {
			os.Exit(1)
		}
	}
}

func run(client Client, command Command) (any, error) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	switch command.Do {
	case "create":
		return nil, client.Create(ctx, command.Topic, command.Partitions)
	case "delete":
		return nil, client.Delete(ctx, command.Topic)
	case "partitions_of":
		return client.PartitionsOf(ctx, command.Topic)
	case "configs":
		return client.Configs(ctx, command.Topic)
	case "alter_configs":
		return nil, client.AlterConfigs(ctx, command.Topic, command.Changes)
	case "delete_records":
		return client.DeleteRecords(ctx, command.Topic, command.Partition, command.Before)
	case "produce":
		offsets, err := client.Produce(ctx, command)
		return map[string]any{"offsets": offsets}, err
	case "read":
		records, err := client.Read(ctx, command)
		return map[string]any{"records": records}, err
	}
	return nil, fmt.Errorf("no such command: %s", command.Do)
}

// VersionOf tells which version of a module this program was built with.
func VersionOf(module string) string {
	built, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, dependency := range built.Deps {
		if dependency.Path == module {
			return strings.TrimPrefix(dependency.Version, "v")
		}
	}
	return "unknown"
}
