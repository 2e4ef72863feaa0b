package clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** Topics, their configs, and the deletion of records. */
final class Administration implements AutoCloseable {
    private final Admin admin;

    Administration(String servers) {
        admin = Admin.create(Map.of("bootstrap.servers", servers));
    }

    @Override
    public void close() {
        admin.close();
    }

    JsonNode answer(JsonNode command) throws Exception {
        if (command.has("group") || !command.has("topic")) return answerAboutGroups(command);
        String topic = command.get("topic").asText();
        return switch (command.get("do").asText()) {
            case "create" -> done(wait(admin.createTopics(List.of(new NewTopic(topic, command.get("partitions").asInt(), (short) 1))).all()));
            case "delete" -> done(wait(admin.deleteTopics(List.of(topic)).all()));
            case "partitions_of" -> partitionsOf(topic);
            case "configs" -> configs(topic);
            case "alter_configs" -> alterConfigs(topic, command.get("changes"));
            case "delete_records" -> deleteRecords(new TopicPartition(topic, command.get("partition").asInt()), command.get("before").asLong());
            default -> throw new IllegalArgumentException("no such command");
        };
    }

    private JsonNode answerAboutGroups(JsonNode command) throws Exception {
        String group = command.path("group").asText();
        TopicPartition place = new TopicPartition(command.path("topic").asText(), command.path("partition").asInt());
        return switch (command.get("do").asText()) {
            case "groups" -> groups();
            case "describe_group" -> describeGroup(group);
            case "committed" -> Groups.committed(wait(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata()));
            case "alter_committed" -> done(wait(admin.alterConsumerGroupOffsets(group,
                Map.of(place, new OffsetAndMetadata(command.get("offset").asLong()))).all()));
            case "delete_committed" -> done(wait(admin.deleteConsumerGroupOffsets(group, Set.of(place)).all()));
            case "delete_group" -> done(wait(admin.deleteConsumerGroups(List.of(group)).all()));
            default -> throw new IllegalArgumentException("no such command");
        };
    }

    private JsonNode groups() throws Exception {
        ObjectNode answer = Driver.JSON.createObjectNode();
        for (GroupListing group : wait(admin.listGroups().all())) answer.put(group.groupId(), group.groupState().orElseThrow().toString());
        return answer;
    }

    private JsonNode describeGroup(String group) throws Exception {
        var described = wait(admin.describeConsumerGroups(List.of(group)).all()).get(group);
        ObjectNode answer = Driver.JSON.createObjectNode();
        return answer.put("state", described.groupState().toString()).put("members", described.members().size());
    }

    private static <T> T wait(KafkaFuture<T> future) throws Exception {
        return future.get(Driver.PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static JsonNode done(Object nothing) {
        return Driver.JSON.nullNode();
    }

    private JsonNode partitionsOf(String topic) throws Exception {
        ArrayNode answer = Driver.JSON.createArrayNode();
        wait(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic).partitions().forEach(one -> answer.add(one.partition()));
        return answer;
    }

    private JsonNode configs(String topic) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        ObjectNode answer = Driver.JSON.createObjectNode();
        for (ConfigEntry entry : wait(admin.describeConfigs(List.of(resource)).all()).get(resource).entries()) answer.put(entry.name(), entry.value());
        return answer;
    }

    private JsonNode alterConfigs(String topic, JsonNode changes) throws Exception {
        Collection<AlterConfigOp> operations = new ArrayList<>();
        for (Map.Entry<String, JsonNode> change : changes.properties()) {
            boolean back = change.getValue().isNull();
            operations.add(new AlterConfigOp(new ConfigEntry(change.getKey(), back ? null : change.getValue().asText()),
                back ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET));
        }
        return done(wait(admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic), operations)).all()));
    }

    private JsonNode deleteRecords(TopicPartition place, long before) throws Exception {
        var deleted = admin.deleteRecords(Map.of(place, RecordsToDelete.beforeOffset(before)));
        return Driver.JSON.getNodeFactory().numberNode(wait(deleted.lowWatermarks().get(place)).lowWatermark());
    }
}
