// kafka-go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"braid/clients/driver"

	"github.com/segmentio/kafka-go"
)

var codecs = map[string]kafka.Compression{"gzip": kafka.Gzip, "snappy": kafka.Snappy, "lz4": kafka.Lz4, "zstd": kafka.Zstd}

var acks = map[string]kafka.RequiredAcks{"0": kafka.RequireNone, "1": kafka.RequireOne, "all": kafka.RequireAll}

var errCannot = errors.New("this client can't")

type client struct {
	server string
	admin  *kafka.Client
}

func (c *client) Create(ctx context.Context, topic string, partitions int32) error {
	answer, err := c.admin.CreateTopics(ctx, &kafka.CreateTopicsRequest{
		Topics: []kafka.TopicConfig{{Topic: topic, NumPartitions: int(partitions), ReplicationFactor: 1}}})
	if err != nil {
		return err
	}
	return answer.Errors[topic]
}

func (c *client) Delete(ctx context.Context, topic string) error {
	answer, err := c.admin.DeleteTopics(ctx, &kafka.DeleteTopicsRequest{Topics: []string{topic}})
	if err != nil {
		return err
	}
	return answer.Errors[topic]
}

func (c *client) PartitionsOf(ctx context.Context, topic string) ([]int32, error) {
	answer, err := c.admin.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{topic}})
	if err != nil {
		return nil, err
	}
	var partitions []int32
	for _, partition := range answer.Topics[0].Partitions {
		partitions = append(partitions, int32(partition.ID))
	}
	slices.Sort(partitions)
	return partitions, answer.Topics[0].Error
}

func (c *client) Configs(ctx context.Context, topic string) (map[string]*string, error) {
	answer, err := c.admin.DescribeConfigs(ctx, &kafka.DescribeConfigsRequest{
		Resources: []kafka.DescribeConfigRequestResource{{ResourceType: kafka.ResourceTypeTopic, ResourceName: topic}}})
	if err != nil {
		return nil, err
	}
	configs := map[string]*string{}
	for _, entry := range answer.Resources[0].ConfigEntries {
		configs[entry.ConfigName] = &entry.ConfigValue
	}
	return configs, answer.Resources[0].Error
}

func (c *client) AlterConfigs(ctx context.Context, topic string, changes map[string]*string) error {
	var configs []kafka.IncrementalAlterConfigsRequestConfig
	for name, value := range changes {
		config := kafka.IncrementalAlterConfigsRequestConfig{Name: name, ConfigOperation: kafka.ConfigOperationDelete}
		if value != nil {
			config.Value, config.ConfigOperation = *value, kafka.ConfigOperationSet
		}
		configs = append(configs, config)
	}
	answer, err := c.admin.IncrementalAlterConfigs(ctx, &kafka.IncrementalAlterConfigsRequest{
		Resources: []kafka.IncrementalAlterConfigsRequestResource{{ResourceType: kafka.ResourceTypeTopic, ResourceName: topic, Configs: configs}}})
	if err != nil {
		return err
	}
	return answer.Resources[0].Error
}

func (c *client) DeleteRecords(context.Context, string, int32, int64) (int64, error) {
	return 0, errCannot
}

func (c *client) Produce(ctx context.Context, command driver.Command) ([]int64, error) {
	place := kafka.BalancerFunc(func(kafka.Message, ...int) int { return int(command.Partition) })
	writer := &kafka.Writer{Addr: kafka.TCP(c.server), Topic: command.Topic, Balancer: place, RequiredAcks: acks[command.Acks],
		Compression: codecs[command.Codec], BatchTimeout: 20 * time.Millisecond, BatchBytes: 10 << 20, AllowAutoTopicCreation: true}
	defer writer.Close()
	var messages []kafka.Message
	for _, record := range command.Records {
		message := kafka.Message{Key: driver.Bytes(record.Key), Value: driver.Bytes(record.Value)}
		if record.Timestamp != nil {
			message.Time = time.UnixMilli(*record.Timestamp)
		}
		for _, header := range record.Headers {
			message.Headers = append(message.Headers, kafka.Header{Key: *header[0], Value: driver.Bytes(header[1])})
		}
		messages = append(messages, message)
	}
	return nil, writer.WriteMessages(ctx, messages...) // it tells no offsets
}

func (c *client) start(ctx context.Context, command driver.Command) (int64, error) {
	wanted := kafka.FirstOffsetOf(int(command.Partition))
	switch start := command.Start; {
	case start.Offset != nil:
		return *start.Offset, nil
	case start.Timestamp != nil:
		wanted = kafka.TimeOffsetOf(int(command.Partition), time.UnixMilli(*start.Timestamp))
	case start.Tail != nil:
		wanted = kafka.LastOffsetOf(int(command.Partition))
	}
	answer, err := c.admin.ListOffsets(ctx, &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{command.Topic: {wanted}}})
	if err != nil {
		return 0, err
	}
	offsets := answer.Topics[command.Topic][0]
	switch start := command.Start; {
	case start.Timestamp != nil:
		for offset := range offsets.Offsets {
			return offset, offsets.Error
		}
	case start.Tail != nil:
		return offsets.LastOffset - *start.Tail, offsets.Error
	}
	return offsets.FirstOffset, offsets.Error
}

// Read asks for the records itself: the library's Reader doesn't tell empty from null.
func (c *client) Read(ctx context.Context, command driver.Command) ([]driver.Record, error) {
	offset, err := c.start(ctx, command)
	if err != nil {
		return nil, err
	}
	var records []driver.Record
	for len(records) < command.Count {
		answer, err := c.admin.Fetch(ctx, &kafka.FetchRequest{Topic: command.Topic, Partition: int(command.Partition), Offset: offset, MinBytes: 1,
			MaxBytes: 10 << 20, MaxWait: 20 * time.Millisecond})
		if err == nil {
			err = answer.Error
		}
		if err != nil {
			return nil, fmt.Errorf("only %d of %d records came: %w", len(records), command.Count, err)
		}
		for len(records) < command.Count {
			record, err := answer.Records.ReadRecord()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
			got, err := read(record)
			if err != nil {
				return nil, err
			}
			if record.Offset >= offset { // the broker gives whole batches
				records = append(records, got)
				offset = record.Offset + 1
			}
		}
	}
	return records, nil
}

func read(record *kafka.Record) (driver.Record, error) {
	milliseconds, offset := record.Time.UnixMilli(), record.Offset
	answer := driver.Record{Timestamp: &milliseconds, Offset: &offset}
	key, err := kafka.ReadAll(record.Key)
	if err != nil {
		return answer, err
	}
	value, err := kafka.ReadAll(record.Value)
	answer.Key, answer.Value = driver.Hex(key), driver.Hex(value)
	for _, header := range record.Headers {
		answer.Headers = append(answer.Headers, [2]*string{&header.Key, driver.Hex(header.Value)})
	}
	return answer, err
}

func main() {
	server := os.Args[1]
	driver.Serve(&client{server: server, admin: &kafka.Client{Addr: kafka.TCP(server)}}, driver.VersionOf("github.com/segmentio/kafka-go"),
		"idempotence", "deletion of records")
}
