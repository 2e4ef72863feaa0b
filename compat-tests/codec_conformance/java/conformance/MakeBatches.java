package conformance;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;

/** Writes lines of HEX, each one to three record batches made by the builder of Kafka's producer. */
final class MakeBatches {
  private static final long MAX_SEEN_TIMESTAMP = 1L << 45;

  private final Random random;
  private final List<Compression> codecs = codecs();

  private MakeBatches(long seed) {
    random = new Random(seed);
  }

  /** `count` lines for each codec and level, then as many of control batches. */
  static void run(long seed, int count, PrintStream out) {
    MakeBatches make = new MakeBatches(seed);
    for (Compression codec : make.codecs) {
      for (int i = 0; i < count; i++) {
        out.println(HexFormat.of().formatHex(make.recordSet(codec, i)));
      }
    }
    for (int i = 0; i < count; i++) {
      out.println(HexFormat.of().formatHex(make.controlSet()));
    }
  }

  private static List<Compression> codecs() {
    List<Compression> out = new ArrayList<>(List.of(Compression.NONE, Compression.snappy().build()));
    for (int level : new int[] {-1, 1, 6, 9}) {
      out.add(Compression.gzip().level(level).build());
    }
    for (int level : new int[] {1, 9, 17}) {
      out.add(Compression.lz4().level(level).build());
    }
    for (int level : new int[] {-5, 1, 3, 19}) {
      out.add(Compression.zstd().level(level).build());
    }
    return out;
  }

  private byte[] recordSet(Compression codec, int index) {
    ByteBufferOutputStream out = new ByteBufferOutputStream(1024);
    long offset = index % 3 == 0 ? 0 : random.nextLong() >>> (2 + random.nextInt(60));
    for (int left = 1 + random.nextInt(3); left > 0; left--) {
      offset += batch(out, codec, offset, recordCount(index));
    }
    return bytes(out);
  }

  private int recordCount(int index) {
    return index == 5 ? 2_000 : index == 6 ? 130 : 1 + random.nextInt(8);
  }

  private int batch(ByteBufferOutputStream out, Compression codec, long offset, int count) {
    boolean appendTime = random.nextInt(4) == 0;
    boolean idempotent = random.nextInt(2) == 0;
    long time = random.nextInt(6) == 0 ? 0 : random.nextLong() >>> 20;
    MemoryRecordsBuilder builder = new MemoryRecordsBuilder(out, RecordBatch.CURRENT_MAGIC_VALUE, codec,
        appendTime ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME, offset,
        appendTime ? random.nextLong() >>> 20 : RecordBatch.NO_TIMESTAMP,
        idempotent ? random.nextLong() >>> 1 : RecordBatch.NO_PRODUCER_ID,
        idempotent ? (short) random.nextInt(Short.MAX_VALUE) : RecordBatch.NO_PRODUCER_EPOCH,
        idempotent ? random.nextInt(Integer.MAX_VALUE) : RecordBatch.NO_SEQUENCE,
        idempotent && random.nextBoolean(), false,
        random.nextInt(3) == 0 ? RecordBatch.NO_PARTITION_LEADER_EPOCH : random.nextInt(Integer.MAX_VALUE),
        Integer.MAX_VALUE);
    for (int i = 0; i < count; i++) {
      // Backwards now and then: the deltas of timestamps are signed.
      time = Math.max(0, Math.min(MAX_SEEN_TIMESTAMP, time + random.nextInt(2_000) - 500));
      builder.append(time, blob(count), blob(count), headers(count));
    }
    builder.close();
    return count;
  }

  /** Null, empty, short, or (in small batches) long enough to need three bytes of length. */
  private byte[] blob(int count) {
    int kind = random.nextInt(10);
    if (kind == 0) {
      return null;
    }
    int length = kind == 1 ? 0 : kind == 2 && count < 10 ? 8_000 + random.nextInt(30_000) : random.nextInt(90);
    byte[] out = new byte[length];
    if (random.nextBoolean()) {
      random.nextBytes(out);
    } else {
      java.util.Arrays.fill(out, (byte) random.nextInt(256));
    }
    return out;
  }

  private Header[] headers(int count) {
    Header[] out = new Header[random.nextInt(3) == 0 ? random.nextInt(4) : 0];
    for (int i = 0; i < out.length; i++) {
      String key = switch (random.nextInt(3)) {
        case 0 -> "";
        case 1 -> "h" + random.nextInt(10);
        default -> "ключ😀";
      };
      out[i] = new RecordHeader(key, blob(count));
    }
    return out;
  }

  private byte[] controlSet() {
    ByteBufferOutputStream out = new ByteBufferOutputStream(256);
    MemoryRecordsBuilder builder = new MemoryRecordsBuilder(out, RecordBatch.CURRENT_MAGIC_VALUE, Compression.NONE,
        TimestampType.CREATE_TIME, random.nextInt(1_000_000), RecordBatch.NO_TIMESTAMP,
        random.nextLong() >>> 1, (short) random.nextInt(Short.MAX_VALUE), RecordBatch.NO_SEQUENCE,
        true, true, random.nextInt(100), Integer.MAX_VALUE);
    long time = random.nextLong() >>> 20;
    switch (random.nextInt(3)) {
      case 0 -> builder.appendEndTxnMarker(time, new EndTransactionMarker(ControlRecordType.COMMIT, random.nextInt()));
      case 1 -> builder.appendEndTxnMarker(time, new EndTransactionMarker(ControlRecordType.ABORT, random.nextInt()));
      default -> {
        return leaderChange(time);
      }
    }
    builder.close();
    return bytes(out);
  }

  private byte[] leaderChange(long time) {
    LeaderChangeMessage message = new LeaderChangeMessage().setLeaderId(random.nextInt())
        .setVoters(List.of(new LeaderChangeMessage.Voter().setVoterId(random.nextInt())));
    MemoryRecords leader = MemoryRecords.withLeaderChangeMessage(random.nextInt(1_000), time, random.nextInt(50),
        ByteBuffer.allocate(256), message);
    MemoryRecords version = MemoryRecords.withKRaftVersionRecord(random.nextInt(1_000), time, random.nextInt(50),
        ByteBuffer.allocate(256), new KRaftVersionRecord().setKRaftVersion((short) 1));
    ByteBufferOutputStream out = new ByteBufferOutputStream(512);
    out.write(leader.buffer().duplicate());
    out.write(version.buffer().duplicate());
    return bytes(out);
  }

  private static byte[] bytes(ByteBufferOutputStream out) {
    ByteBuffer buffer = out.buffer().duplicate();
    buffer.flip();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }
}
