package conformance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Reads lines of HEX, each one or more record batches, and answers each with one line: a JSON array of the batches and
 * their records as Kafka's client sees them, or {@code error REASON}. The checksum of each batch is checked.
 */
final class BatchView {
  private static final HexFormat HEX = HexFormat.of();
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private BatchView() {}

  static void run(BufferedReader in, PrintStream out) throws IOException {
    for (String line; (line = in.readLine()) != null; ) {
      try {
        out.println(batches(HEX.parseHex(line.trim())));
      } catch (RuntimeException refused) {
        out.println("error " + refused.getClass().getSimpleName() + " " + String.valueOf(refused.getMessage()).replace('\n', ' '));
      }
    }
  }

  private static ArrayNode batches(byte[] bytes) {
    ArrayNode out = JSON.arrayNode();
    MemoryRecords all = MemoryRecords.readableRecords(ByteBuffer.wrap(bytes));
    for (RecordBatch batch : all.batches()) {
      out.add(batch(batch));
    }
    return out;
  }

  private static ObjectNode batch(RecordBatch batch) {
    batch.ensureValid();
    ObjectNode out = JSON.objectNode()
        .put("base_offset", batch.baseOffset())
        .put("last_offset", batch.lastOffset())
        .put("bytes", batch.sizeInBytes())
        .put("leader_epoch", batch.partitionLeaderEpoch())
        .put("magic", batch.magic())
        .put("crc", batch.checksum())
        .put("crc_ok", batch.isValid())
        .put("codec", batch.compressionType().name)
        .put("log_append_time", batch.timestampType() == TimestampType.LOG_APPEND_TIME)
        .put("base_timestamp", ((DefaultRecordBatch) batch).baseTimestamp())
        .put("max_timestamp", batch.maxTimestamp())
        .put("transactional", batch.isTransactional())
        .put("control", batch.isControlBatch())
        .put("producer_id", batch.producerId())
        .put("producer_epoch", batch.producerEpoch())
        .put("base_sequence", batch.baseSequence())
        .put("count", batch.countOrNull());
    batch.deleteHorizonMs().ifPresent(horizon -> out.put("delete_horizon", horizon));
    ArrayNode records = out.putArray("records");
    for (Record record : batch) {
      records.add(record(record));
    }
    return out;
  }

  private static ObjectNode record(Record record) {
    record.ensureValid();
    ObjectNode out = JSON.objectNode().put("offset", record.offset()).put("timestamp", record.timestamp());
    out.set("key", hex(record.key()));
    out.set("value", hex(record.value()));
    ArrayNode headers = out.putArray("headers");
    for (Header header : record.headers()) {
      ArrayNode pair = headers.addArray();
      pair.add(HEX.formatHex(header.key().getBytes(StandardCharsets.UTF_8)));
      pair.add(header.value() == null ? JSON.nullNode() : JSON.textNode(HEX.formatHex(header.value())));
    }
    return out;
  }

  private static JsonNode hex(ByteBuffer bytes) {
    if (bytes == null) {
      return JSON.nullNode();
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.duplicate().get(copy);
    return JSON.textNode(HEX.formatHex(copy));
  }
}
