#include "protocol/recode/print_records.h"

#include <optional>

#include "protocol/base/hex.h"
#include "protocol/base/limits.h"
#include "protocol/recode/command.h"
#include "protocol/recode/records_json.h"
#include "protocol/records/record_batch_iterator.h"

namespace braid::protocol {
namespace {

Result<void> print_content(const RecordBatch& batch, Decompressor& decompressor, Bytes& buffer, std::string& text) {
  TRY(const ByteView body, record_body(batch, kRecodeBatchContentBytesMax, decompressor, buffer));
  RecordIterator records(batch, body);
  while (true) {
    TRY(const std::optional<Record> record, records.next());
    if (!record) return ok();
    JsonText out(text);
    record_object(*record, out);
    text += '\n';
  }
}

Result<void> print_batches(ByteView bytes, std::string& text) {
  Decompressor decompressor;
  Bytes buffer;
  RecordBatchIterator batches(bytes);
  while (true) {
    TRY(const std::optional<RecordBatch> batch, batches.next());
    if (!batch) return ok();
    JsonText out(text);
    out.begin_object();
    batch_members(*batch, out);
    out.end_object();
    text += '\n';
    const Result<void> content = print_content(*batch, decompressor, buffer, text);
    if (content.has_error()) text += error_line(content.error().message());
  }
}

}  // namespace

std::string print_records(std::string_view hex) {
  const Result<Bytes> bytes = from_hex(hex);
  if (bytes.has_error()) return error_line(bytes.error().message());
  std::string text;
  const Result<void> printed = print_batches(*bytes, text);
  if (printed.has_error()) text += error_line(printed.error().message());
  return text;
}

}  // namespace braid::protocol
