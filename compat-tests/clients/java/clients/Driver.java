package clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The Java client as a program: one JSON command a line in, one JSON answer a line out, as drivers/driver.py says. */
public final class Driver {
    static final long PATIENCE_SECONDS = 60;
    static final ObjectMapper JSON = new ObjectMapper();
    private static final HexFormat HEX = HexFormat.of();

    private final String servers;
    private final Administration administration;
    private final Groups groups;
    private final Map<String, KafkaProducer<byte[], byte[]>> producers = new HashMap<>();

    private Driver(String servers) {
        this.servers = servers;
        this.administration = new Administration(servers);
        this.groups = new Groups(servers);
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        Driver driver = new Driver(arguments[0]);
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            ObjectNode answer = JSON.createObjectNode();
            try {
                answer.set("ok", driver.answer(JSON.readTree(line)));
            } catch (Exception failure) {
                failure.printStackTrace();
                answer.put("error", failure.toString());
            }
            answers.println(answer);
        }
        driver.producers.values().forEach(KafkaProducer::close);
        driver.groups.close();
        driver.administration.close();
    }

    private JsonNode answer(JsonNode command) throws Exception {
        return switch (command.get("do").asText()) {
            case "hello" -> hello();
            case "produce" -> produce(command);
            case "read" -> Reading.read(servers, command);
            default -> command.has("member") ? groups.answer(command) : administration.answer(command);
        };
    }

    private static JsonNode hello() throws IOException {
        Properties about = new Properties();
        try (InputStream text = KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            about.load(text);
        }
        ObjectNode answer = JSON.createObjectNode();
        answer.put("version", about.getProperty("version"));
        answer.putArray("cannot");
        return answer;
    }

    private JsonNode produce(JsonNode command) throws Exception {
        String acks = command.get("acks").asText();
        KafkaProducer<byte[], byte[]> producer = producer(acks, command.get("codec").asText(), command.get("idempotent").asBoolean());
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (JsonNode record : command.get("records")) {
            List<Header> headers = new ArrayList<>();
            for (JsonNode header : record.get("headers")) headers.add(new RecordHeader(header.get(0).asText(), bytes(header.get(1))));
            JsonNode timestamp = record.get("timestamp");
            sent.add(producer.send(new ProducerRecord<>(command.get("topic").asText(), command.get("partition").asInt(),
                timestamp.isNull() ? null : timestamp.asLong(), bytes(record.get("key")), bytes(record.get("value")), headers)));
        }
        producer.flush();
        ObjectNode answer = JSON.createObjectNode();
        ArrayNode offsets = answer.putArray("offsets");
        for (Future<RecordMetadata> one : sent) offsets.add(one.get(PATIENCE_SECONDS, TimeUnit.SECONDS).offset());
        if (acks.equals("0")) answer.putNull("offsets");
        return answer;
    }

    private KafkaProducer<byte[], byte[]> producer(String acks, String codec, boolean idempotent) {
        return producers.computeIfAbsent(acks + codec + idempotent, wanted -> {
            Map<String, Object> settings = new HashMap<>();
            settings.put("bootstrap.servers", servers);
            settings.put("acks", acks);
            settings.put("compression.type", codec);
            // Idempotent is what this client is by default, with acks=all.
            if (!idempotent) settings.put("enable.idempotence", false);
            settings.put("linger.ms", 20);
            settings.put("delivery.timeout.ms", (int) PATIENCE_SECONDS * 1000);
            settings.put("request.timeout.ms", 30_000);
            return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        });
    }

    static byte[] bytes(JsonNode text) {
        return text.isNull() ? null : HEX.parseHex(text.asText());
    }

    static void put(ObjectNode into, String name, byte[] data) {
        into.put(name, data == null ? null : HEX.formatHex(data));
    }

    static String hex(byte[] data) {
        return data == null ? null : HEX.formatHex(data);
    }
}
