// franz-go.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"braid/clients/driver"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(), "lz4": kgo.Lz4Compression(),
	"zstd": kgo.ZstdCompression(),
}

var acks = map[string]kgo.Acks{"0": kgo.NoAck(), "1": kgo.LeaderAck(), "all": kgo.AllISRAcks()}

type client struct {
	servers   string
	admin     *kadm.Client
	producers map[string]*kgo.Client
}

func (c *client) Create(ctx context.Context, topic string, partitions int32) error {
	answer, err := c.admin.CreateTopic(ctx, partitions, 1, nil, topic)
	if err != nil {
		return err
	}
	return answer.Err
}

// Delete forgets the producers too: they hold on to the id of a topic that they know, after it was made again.
func (c *client) Delete(ctx context.Context, topic string) error {
	for wanted, producer := range c.producers {
		producer.Close()
		delete(c.producers, wanted)
	}
	_, err := c.admin.DeleteTopic(ctx, topic)
	return err
}

func (c *client) PartitionsOf(ctx context.Context, topic string) ([]int32, error) {
	topics, err := c.admin.ListTopics(ctx, topic)
	if err != nil {
		return nil, err
	}
	partitions := topics[topic].Partitions.Numbers()
	slices.Sort(partitions)
	return partitions, topics[topic].Err
}

func (c *client) Configs(ctx context.Context, topic string) (map[string]*string, error) {
	described, err := c.admin.DescribeTopicConfigs(ctx, topic)
	if err != nil {
		return nil, err
	}
	configs := map[string]*string{}
	for _, config := range described[0].Configs {
		configs[config.Key] = config.Value
	}
	return configs, described[0].Err
}

func (c *client) AlterConfigs(ctx context.Context, topic string, changes map[string]*string) error {
	var alterations []kadm.AlterConfig
	for name, value := range changes {
		alteration := kadm.AlterConfig{Op: kadm.SetConfig, Name: name, Value: value}
		if value == nil {
			alteration.Op = kadm.DeleteConfig
		}
		alterations = append(alterations, alteration)
	}
	answers, err := c.admin.AlterTopicConfigs(ctx, alterations, topic)
	if err != nil {
		return err
	}
	return answers[0].Err
}

func (c *client) DeleteRecords(ctx context.Context, topic string, partition int32, before int64) (int64, error) {
	offsets := kadm.Offsets{}
	offsets.AddOffset(topic, partition, before, -1)
	answers, err := c.admin.DeleteRecords(ctx, offsets)
	if err != nil {
		return 0, err
	}
	answer := answers[topic][partition]
	return answer.LowWatermark, answer.Err
}

func (c *client) producer(command driver.Command) (*kgo.Client, error) {
	wanted := fmt.Sprint(command.Acks, command.Codec, command.Idempotent)
	if known := c.producers[wanted]; known != nil {
		return known, nil
	}
	options := []kgo.Opt{kgo.SeedBrokers(c.servers), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.AllowAutoTopicCreation(),
		kgo.RequiredAcks(acks[command.Acks]), kgo.ProducerBatchCompression(codecs[command.Codec]), kgo.ProducerLinger(20 * time.Millisecond)}
	if !command.Idempotent {
		options = append(options, kgo.DisableIdempotentWrite())
	}
	made, err := kgo.NewClient(options...)
	c.producers[wanted] = made
	return made, err
}

func (c *client) Produce(ctx context.Context, command driver.Command) ([]int64, error) {
	producer, err := c.producer(command)
	if err != nil {
		return nil, err
	}
	var records []*kgo.Record
	for _, record := range command.Records {
		sent := &kgo.Record{Topic: command.Topic, Partition: command.Partition, Key: driver.Bytes(record.Key), Value: driver.Bytes(record.Value)}
		if record.Timestamp != nil {
			sent.Timestamp = time.UnixMilli(*record.Timestamp)
		}
		for _, header := range record.Headers {
			sent.Headers = append(sent.Headers, kgo.RecordHeader{Key: *header[0], Value: driver.Bytes(header[1])})
		}
		records = append(records, sent)
	}
	if err := producer.ProduceSync(ctx, records...).FirstErr(); err != nil || command.Acks == "0" {
		return nil, err
	}
	var offsets []int64
	for _, record := range records {
		offsets = append(offsets, record.Offset)
	}
	return offsets, nil
}

func start(command driver.Command) kgo.Offset {
	switch start := command.Start; {
	case start.Timestamp != nil:
		return kgo.NewOffset().AfterMilli(*start.Timestamp)
	case start.Tail != nil:
		return kgo.NewOffset().AtEnd().Relative(-*start.Tail)
	case start.Offset != nil:
		return kgo.NewOffset().At(*start.Offset)
	}
	return kgo.NewOffset().AtStart()
}

func (c *client) Read(ctx context.Context, command driver.Command) ([]driver.Record, error) {
	consumer, err := kgo.NewClient(kgo.SeedBrokers(c.servers), kgo.FetchMaxWait(20*time.Millisecond), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{command.Topic: {command.Partition: start(command)}}))
	if err != nil {
		return nil, err
	}
	defer consumer.Close()
	var records []driver.Record
	for len(records) < command.Count {
		fetches := consumer.PollRecords(ctx, command.Count-len(records))
		if err := fetches.Err(); err != nil {
			return nil, fmt.Errorf("only %d of %d records came: %w", len(records), command.Count, err)
		}
		for _, record := range fetches.Records() {
			records = append(records, read(record))
		}
	}
	return records, nil
}

func read(record *kgo.Record) driver.Record {
	milliseconds := record.Timestamp.UnixMilli()
	answer := driver.Record{Key: driver.Hex(record.Key), Value: driver.Hex(record.Value), Timestamp: &milliseconds, Offset: &record.Offset}
	for _, header := range record.Headers {
		answer.Headers = append(answer.Headers, [2]*string{&header.Key, driver.Hex(header.Value)})
	}
	return answer
}

func main() {
	connection, err := kgo.NewClient(kgo.SeedBrokers(os.Args[1]))
	if err != nil {
		panic(err)
	}
	driver.Serve(&client{servers: os.Args[1], admin: kadm.NewClient(connection), producers: map[string]*kgo.Client{}},
		driver.VersionOf("github.com/twmb/franz-go"))
}
