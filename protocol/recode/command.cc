#include "protocol/recode/command.h"

#include <optional>

#include "protocol/base/hex.h"
#include "protocol/messages/api.h"
#include "protocol/messages/registry.h"
#include "protocol/recode/build_records.h"
#include "protocol/recode/print_records.h"
#include "protocol/recode/words.h"

namespace braid::protocol {
namespace {

struct Target {
  const RegisteredMessage* message = nullptr;
  std::int16_t version = 0;
  std::string_view complaint{};  // why there is none
};

Target checked(const RegisteredMessage* message, std::optional<std::int16_t> version, std::string_view complaint) {
  if (message == nullptr) return {.complaint = complaint};
  if (!version) return {.complaint = "the version is not a number"};
  if (*version < message->version_min || *version > message->version_max)
    return {.complaint = "the message has no such version"};
  return {.message = message, .version = *version};
}

/// After "data" or "header": NAME VERSION.
Target named_target(MessageKind kind, Words& words) {
  const RegisteredMessage* const message = find_message(words.take());
  const auto version = words.take_number<std::int16_t>();
  if (message != nullptr && message->kind != kind) return {.complaint = "that name is of another kind, see --list"};
  return checked(message, version, "no structure has that name, see --list");
}

/// API_KEY VERSION request|response, the key being the first word.
Target api_target(std::string_view first, Words& words) {
  const auto key = Words(first).take_number<std::int16_t>();
  const auto version = words.take_number<std::int16_t>();
  const std::string_view direction = words.take();
  if (!key) return {.complaint = "unknown command, see --help"};
  if (direction != "request" && direction != "response") return {.complaint = "neither request nor response"};
  const MessageKind kind = direction == "request" ? MessageKind::kRequest : MessageKind::kResponse;
  return checked(find_message(*key, kind), version, "no API has that key, see --list");
}

std::string message_answer(std::string_view first, Words& words, Arena& arena) {
  const bool wants_json = first == "json";
  if (wants_json) first = words.take();
  Target target;
  if (first == "data") {
    target = named_target(MessageKind::kData, words);
  } else if (first == "header") {
    target = named_target(MessageKind::kHeader, words);
  } else {
    target = api_target(first, words);
  }
  if (target.message == nullptr) return error_line(target.complaint);

  const Result<Bytes> body = from_hex(words.rest());
  if (body.has_error()) return error_line(body.error().message());
  if (wants_json) {
    const Result<std::string> text = target.message->json(*body, target.version, arena);
    return text.has_error() ? error_line(text.error().message()) : *text + "\n";
  }
  const Result<Bytes> recoded = target.message->recode(*body, target.version, arena);
  return recoded.has_error() ? error_line(recoded.error().message()) : to_hex(*recoded) + "\n";
}

}  // namespace

std::string error_line(std::string_view reason) { return "error " + std::string(reason) + "\n"; }

std::string answer(std::string_view line, Arena& arena) {
  Words words(line);
  const std::string_view first = words.take();
  if (first.empty()) return error_line("the line is empty");
  if (first == "records") return print_records(words.rest());
  if (first == "build-records") return build_records(words);
  return message_answer(first, words, arena);
}

std::string message_list() {
  std::string list;
  for (const Api& api : all_apis()) {
    list += "api " + std::to_string(static_cast<int>(api.key)) + " " + std::string(api.name) + " " +
            std::to_string(api.version_min) + " " + std::to_string(api.version_max_unstable) + "\n";
  }
  for (const RegisteredMessage* message : registered_messages()) {
    if (message->kind == MessageKind::kRequest || message->kind == MessageKind::kResponse) continue;
    list += (message->kind == MessageKind::kData ? "data " : "header ") + std::string(message->name) + " " +
            std::to_string(message->version_min) + " " + std::to_string(message->version_max) + "\n";
  }
  return list;
}

std::string_view help_text() {
  return R"(usage: protocol_recode < LINES     decode and encode again, one answer for each line
       protocol_recode --list      the messages it knows: api KEY NAME MIN MAX, data NAME MIN MAX, header NAME MIN MAX
       protocol_recode --help

Lines, and their answers (HEX is the message without length prefix and header; blanks between digits are allowed):

  API_KEY VERSION request|response HEX    the message, decoded and encoded again, as hexadecimal digits
  data NAME VERSION HEX                   the same for a structure without key: consumer_protocol_subscription,
                                          offset_commit_key, ... (without the version number in front of it)
  header NAME VERSION HEX                 the same for request_header and response_header
  json ...                                any of these: the decoded message as JSON. Names as in protocol/schema; bytes
                                          and records as hexadecimal digits; only fields that the version has; tagged
                                          fields that equal their default are left out
  records HEX                             record batches: one line of JSON for each batch and for each of its records
  build-records CODEC SEED COUNT          a batch of COUNT random records that SEED determines: JSON, a tab, HEX.
                                          CODEC is none, gzip, snappy, lz4 or zstd; COUNT at most 100000

What is wrong with a line or its bytes is answered with "error REASON", and the next line is read. Surplus bytes behind a
message are ignored, as a broker does. A line has at most 64 MiB. The exit status is 0 at the end of input, and 1 when
input can't be read or an answer can't be written.
)";
}

}  // namespace braid::protocol
