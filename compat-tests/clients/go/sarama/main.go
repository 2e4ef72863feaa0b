// Sarama.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"braid/clients/driver"

	"github.com/IBM/sarama"
)

var codecs = map[string]sarama.CompressionCodec{
	"none": sarama.CompressionNone, "gzip": sarama.CompressionGZIP, "snappy": sarama.CompressionSnappy, "lz4": sarama.CompressionLZ4,
	"zstd": sarama.CompressionZSTD,
}

var acks = map[string]sarama.RequiredAcks{"0": sarama.NoResponse, "1": sarama.WaitForLocal, "all": sarama.WaitForAll}

type client struct {
	servers   []string
	admin     sarama.ClusterAdmin
	producers map[string]sarama.SyncProducer
}

func settings() *sarama.Config {
	config := sarama.NewConfig()
	config.Version = sarama.MaxVersion
	config.Consumer.MaxWaitTime = 20 * time.Millisecond
	config.Consumer.Return.Errors = true
	return config
}

func (c *client) Create(_ context.Context, topic string, partitions int32) error {
	return c.admin.CreateTopic(topic, &sarama.TopicDetail{NumPartitions: partitions, ReplicationFactor: 1}, false)
}

func (c *client) Delete(_ context.Context, topic string) error { return c.admin.DeleteTopic(topic) }

func (c *client) PartitionsOf(_ context.Context, topic string) ([]int32, error) {
	described, err := c.admin.DescribeTopics([]string{topic})
	if err != nil {
		return nil, err
	}
	var partitions []int32
	for _, partition := range described[0].Partitions {
		partitions = append(partitions, partition.ID)
	}
	slices.Sort(partitions)
	return partitions, nil
}

func (c *client) Configs(_ context.Context, topic string) (map[string]*string, error) {
	entries, err := c.admin.DescribeConfig(sarama.ConfigResource{Type: sarama.TopicResource, Name: topic})
	configs := map[string]*string{}
	for _, entry := range entries {
		configs[entry.Name] = &entry.Value
	}
	return configs, err
}

func (c *client) AlterConfigs(_ context.Context, topic string, changes map[string]*string) error {
	entries := map[string]sarama.IncrementalAlterConfigsEntry{}
	for name, value := range changes {
		operation := sarama.IncrementalAlterConfigsOperationSet
		if value == nil {
			operation = sarama.IncrementalAlterConfigsOperationDelete
		}
		entries[name] = sarama.IncrementalAlterConfigsEntry{Operation: operation, Value: value}
	}
	return c.admin.IncrementalAlterConfig(sarama.TopicResource, topic, entries, false)
}

// DeleteRecords asks for the first offset itself: the library keeps the broker's answer to itself.
func (c *client) DeleteRecords(_ context.Context, topic string, partition int32, before int64) (int64, error) {
	if err := c.admin.DeleteRecords(topic, map[int32]int64{partition: before}); err != nil {
		return 0, err
	}
	connection, err := sarama.NewClient(c.servers, settings())
	if err != nil {
		return 0, err
	}
	defer connection.Close()
	return connection.GetOffset(topic, partition, sarama.OffsetOldest)
}

func (c *client) producer(command driver.Command) (sarama.SyncProducer, error) {
	wanted := fmt.Sprint(command.Acks, command.Codec, command.Idempotent)
	if known := c.producers[wanted]; known != nil {
		return known, nil
	}
	config := settings()
	config.Producer.Return.Successes = true
	config.Producer.Partitioner = sarama.NewManualPartitioner
	config.Producer.RequiredAcks = acks[command.Acks]
	config.Producer.Compression = codecs[command.Codec]
	config.Producer.Flush.Frequency = 20 * time.Millisecond
	if command.Idempotent {
		config.Producer.Idempotent = true
		config.Net.MaxOpenRequests = 1
	}
	made, err := sarama.NewSyncProducer(c.servers, config)
	if err == nil {
		c.producers[wanted] = made
	}
	return made, err
}

func encoder(text *string) sarama.Encoder {
	if text == nil {
		return nil
	}
	return sarama.ByteEncoder(driver.Bytes(text))
}

func (c *client) Produce(_ context.Context, command driver.Command) ([]int64, error) {
	producer, err := c.producer(command)
	if err != nil {
		return nil, err
	}
	var messages []*sarama.ProducerMessage
	for _, record := range command.Records {
		message := &sarama.ProducerMessage{Topic: command.Topic, Partition: command.Partition, Key: encoder(record.Key), Value: encoder(record.Value)}
		if record.Timestamp != nil {
			message.Timestamp = time.UnixMilli(*record.Timestamp)
		}
		for _, header := range record.Headers {
			message.Headers = append(message.Headers, sarama.RecordHeader{Key: []byte(*header[0]), Value: driver.Bytes(header[1])})
		}
		messages = append(messages, message)
	}
	if err := producer.SendMessages(messages); err != nil || command.Acks == "0" {
		return nil, err
	}
	var offsets []int64
	for _, message := range messages {
		offsets = append(offsets, message.Offset)
	}
	return offsets, nil
}

func start(connection sarama.Client, command driver.Command) (int64, error) {
	switch start := command.Start; {
	case start.Timestamp != nil:
		return connection.GetOffset(command.Topic, command.Partition, *start.Timestamp)
	case start.Tail != nil:
		end, err := connection.GetOffset(command.Topic, command.Partition, sarama.OffsetNewest)
		return end - *start.Tail, err
	case start.Offset != nil:
		return *start.Offset, nil
	}
	return sarama.OffsetOldest, nil
}

func (c *client) Read(ctx context.Context, command driver.Command) ([]driver.Record, error) {
	connection, err := sarama.NewClient(c.servers, settings())
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	first, err := start(connection, command)
	if err != nil {
		return nil, err
	}
	consumer, err := sarama.NewConsumerFromClient(connection)
	if err != nil {
		return nil, err
	}
	defer consumer.Close()
	partition, err := consumer.ConsumePartition(command.Topic, command.Partition, first)
	if err != nil {
		return nil, err
	}
	defer partition.AsyncClose()
	var records []driver.Record
	for len(records) < command.Count {
		select {
		case message := <-partition.Messages():
			records = append(records, read(message))
		case err := <-partition.Errors():
			return nil, err
		case <-ctx.Done():
			return nil, fmt.Errorf("only %d of %d records came", len(records), command.Count)
		}
	}
	return records, nil
}

func read(message *sarama.ConsumerMessage) driver.Record {
	milliseconds := message.Timestamp.UnixMilli()
	answer := driver.Record{Key: driver.Hex(message.Key), Value: driver.Hex(message.Value), Timestamp: &milliseconds, Offset: &message.Offset}
	for _, header := range message.Headers {
		name := string(header.Key)
		answer.Headers = append(answer.Headers, [2]*string{&name, driver.Hex(header.Value)})
	}
	return answer
}

func main() {
	servers := os.Args[1:2]
	admin, err := sarama.NewClusterAdmin(servers, settings())
	if err != nil {
		panic(err)
	}
	driver.Serve(&client{servers: servers, admin: admin, producers: map[string]sarama.SyncProducer{}}, driver.VersionOf("github.com/IBM/sarama"))
}
