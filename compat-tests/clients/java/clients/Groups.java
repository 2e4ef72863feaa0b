package clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Members of groups, by name. */
final class Groups implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final int SESSION_MS = 10_000;

    /** A consumer, and what came while it looked for something else. */
    private static final class Member {
        final KafkaConsumer<byte[], byte[]> consumer;
        final Queue<ConsumerRecord<byte[], byte[]>> inbox = new ArrayDeque<>();
        final Map<TopicPartition, OffsetAndMetadata> consumed = new HashMap<>();

        Member(Map<String, Object> settings) {
            consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }

        void poll() {
            consumer.poll(POLL).forEach(inbox::add);
        }
    }

    private final String servers;
    private final Map<String, Member> members = new HashMap<>();

    Groups(String servers) {
        this.servers = servers;
    }

    @Override
    public void close() {
        members.values().forEach(member -> member.consumer.close());
    }

    JsonNode answer(JsonNode command) throws TimeoutException {
        String name = command.get("member").asText();
        return switch (command.get("do").asText()) {
            case "subscribe" -> subscribe(name, command);
            case "assigned" -> assigned(members.get(name));
            case "consume" -> consume(members.get(name), command.get("count").asInt());
            case "commit" -> commit(members.get(name));
            case "leave" -> leave(members.remove(name));
            default -> throw new IllegalArgumentException("no such command");
        };
    }

    private JsonNode subscribe(String name, JsonNode command) {
        Map<String, Object> settings = new HashMap<>(Map.of("bootstrap.servers", servers, "group.id", command.get("group").asText(),
            "group.protocol", "classic", "enable.auto.commit", false, "auto.offset.reset", "earliest", "fetch.max.wait.ms", 20,
            "session.timeout.ms", SESSION_MS, "heartbeat.interval.ms", 500, "metadata.max.age.ms", 1000));
        String assignor = command.get("cooperative").asBoolean() ? "CooperativeStickyAssignor" : "RangeAssignor";
        settings.put("partition.assignment.strategy", "org.apache.kafka.clients.consumer." + assignor);
        if (!command.get("instance").isNull()) settings.put("group.instance.id", command.get("instance").asText());
        Member member = new Member(settings);
        List<String> topics = new ArrayList<>();
        command.get("topics").forEach(topic -> topics.add(topic.asText()));
        member.consumer.subscribe(topics);
        members.put(name, member);
        return Driver.JSON.nullNode();
    }

    private static JsonNode assigned(Member member) {
        member.poll();
        List<TopicPartition> places = new ArrayList<>(member.consumer.assignment());
        places.sort(Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition));
        ArrayNode answer = Driver.JSON.createArrayNode();
        for (TopicPartition place : places) answer.addArray().add(place.topic()).add(place.partition());
        return answer;
    }

    private static JsonNode consume(Member member, int count) throws TimeoutException {
        long end = System.nanoTime() + Duration.ofSeconds(Driver.PATIENCE_SECONDS).toNanos();
        while (member.inbox.size() < count) {
            if (System.nanoTime() > end) throw new TimeoutException("only " + member.inbox.size() + " of " + count + " records came");
            member.poll();
        }
        ArrayNode answer = Driver.JSON.createArrayNode();
        for (int i = 0; i < count; ++i) {
            ConsumerRecord<byte[], byte[]> record = member.inbox.remove();
            member.consumed.put(new TopicPartition(record.topic(), record.partition()), new OffsetAndMetadata(record.offset() + 1));
            answer.addArray().add(record.partition()).add(record.offset()).add(Driver.hex(record.value()));
        }
        return answer;
    }

    private static JsonNode commit(Member member) {
        member.consumer.commitSync(member.consumed);
        return Driver.JSON.nullNode();
    }

    private static JsonNode leave(Member member) {
        member.consumer.close();
        return Driver.JSON.nullNode();
    }

    static ObjectNode committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        ObjectNode answer = Driver.JSON.createObjectNode();
        offsets.forEach((place, offset) -> answer.put(place.toString(), offset.offset()));
        return answer;
    }
}
