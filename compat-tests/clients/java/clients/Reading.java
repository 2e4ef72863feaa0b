package clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Records of one partition, from a place that the command names, by assignment. */
final class Reading {
    private Reading() {}

    static JsonNode read(String servers, JsonNode command) throws TimeoutException {
        Map<String, Object> settings = Map.of("bootstrap.servers", servers, "enable.auto.commit", false, "auto.offset.reset", "none",
            "check.crcs", true, "fetch.max.wait.ms", 20);
        try (var consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            TopicPartition place = new TopicPartition(command.get("topic").asText(), command.get("partition").asInt());
            consumer.assign(List.of(place));
            seek(consumer, place, command.get("start"));
            ObjectNode answer = Driver.JSON.createObjectNode();
            ArrayNode records = answer.putArray("records");
            int count = command.get("count").asInt();
            long end = System.nanoTime() + Duration.ofSeconds(Driver.PATIENCE_SECONDS).toNanos();
            while (records.size() < count) {
                if (System.nanoTime() > end) throw new TimeoutException("only " + records.size() + " of " + count + " records came");
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    if (records.size() < count) records.add(json(record));
                }
            }
            return answer;
        }
    }

    private static void seek(KafkaConsumer<byte[], byte[]> consumer, TopicPartition place, JsonNode start) {
        if (start.has("timestamp")) {
            consumer.seek(place, consumer.offsetsForTimes(Map.of(place, start.get("timestamp").asLong())).get(place).offset());
        } else if (start.has("tail")) {
            consumer.seekToEnd(List.of(place));
            consumer.seek(place, consumer.position(place) - start.get("tail").asLong());
        } else if (start.has("offset")) {
            consumer.seek(place, start.get("offset").asLong());
        } else {
            consumer.seekToBeginning(List.of(place));
        }
    }

    private static ObjectNode json(ConsumerRecord<byte[], byte[]> record) {
        ObjectNode answer = Driver.JSON.createObjectNode();
        answer.put("offset", record.offset());
        answer.put("timestamp", record.timestamp());
        Driver.put(answer, "key", record.key());
        Driver.put(answer, "value", record.value());
        ArrayNode headers = answer.putArray("headers");
        for (Header header : record.headers()) headers.addArray().add(header.key()).add(Driver.hex(header.value()));
        return answer;
    }
}
