package conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.Readable;
import org.apache.kafka.common.protocol.types.Schema;

/**
 * One class of Kafka in one version: what is filled, written and read again.
 *
 * @param words the start of a protocol_recode line, such as {@code "18 3 request"} or {@code "data offset_commit_key 1"}
 */
record Target(String words, Class<? extends Message> type, short version) {

  Message create() throws ReflectiveOperationException {
    return type.getConstructor().newInstance();
  }

  Message read(Readable from) throws ReflectiveOperationException {
    Message message = create();
    message.read(from, version);
    return message;
  }

  Schema schema() throws ReflectiveOperationException {
    return ((Schema[]) type.getField("SCHEMAS").get(null))[version];
  }

  byte[] write(Message message) {
    ByteBuffer buffer = MessageUtil.toByteBufferAccessor(message, version).buffer();
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  /** Kafka's own JSON of the message; a field of records is there, with no bytes in it. */
  JsonNode json(Message message) throws ReflectiveOperationException {
    Method write = Class.forName(type.getName() + "JsonConverter")
        .getMethod("write", type, short.class, boolean.class);
    return (JsonNode) write.invoke(null, message, version, true);
  }
}
