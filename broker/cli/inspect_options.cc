#include "broker/cli/inspect_options.h"

#include <CLI/CLI.hpp>

namespace braid::broker {
namespace {

using Subject = InspectOptions::Subject;

constexpr const char* kExitCodes = "Exit codes: 0 nothing found, 1 damage was found or something failed, 2 bad usage.";

/// What all of them take.
CLI::App* add_subject(CLI::App& inspect, InspectOptions& options, Subject subject, const std::string& name,
                      const std::string& what, const std::string& path_name, const std::string& path_help) {
  CLI::App* const command = inspect.add_subcommand(name, what);
  command->add_option(path_name, options.path, path_help)->required();
  command
      ->add_option_function<std::string>(
          "-o,--format", [&options](const std::string& format) { options.json = format == "json"; },
          "text for people, or json for programs: one object a line")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
  command->callback([&options, subject] { options.subject = subject; });
  return command;
}

void add_commit_log(CLI::App& inspect, InspectOptions& options) {
  CLI::App* const command =
      add_subject(inspect, options, Subject::kCommitLog, "commitlog", "list the entries of a commit log", "PATH",
                  "a data directory, a shard's directory, a folder of log files, or one log file");
  command->add_option("--from", options.from, "POSITION: begin with the entry there, or the next behind it")
      ->type_name("POSITION")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--to", options.to, "POSITION: end before it")
      ->type_name("POSITION")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--limit", options.limit, "N: that many entries")->type_name("N")->check(CLI::NonNegativeNumber);
  command->footer(
      "Entries in the order of the log, also of a directory in use, without an identity, or damaged: where no entry "
      "can be\n"
      "read a line with '!' says file and byte, and the list goes on at the next valid entry. A torn end is no "
      "damage.\n"
      "\nExamples:\n"
      "  braid inspect commitlog /var/lib/braid --limit 20\n"
      "  braid inspect commitlog /var/lib/braid --from 1073741824 --to 1073750000\n"
      "  braid inspect commitlog broken/00000000001073741824 --format json | jq 'select(.finding)'\n\n" +
      std::string(kExitCodes));
}

void add_consume_queue(CLI::App& inspect, InspectOptions& options) {
  CLI::App* const command = add_subject(inspect, options, Subject::kConsumeQueue, "consumequeue",
                                        "list the units of a consume queue, ours or RocketMQ's", "PATH",
                                        "the directory of one queue, such as consumequeue/orders/0, or one file of it");
  command->add_option("--from", options.from, "INDEX: begin with this unit")
      ->type_name("INDEX")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--limit", options.limit, "N: that many units")->type_name("N")->check(CLI::NonNegativeNumber);
  command->footer(
      "Unit i says where the entry lies that holds the record with offset i. A file may hold units beyond the queue's "
      "end,\n"
      "left from before a cut, and does not hold those that are still in memory or in the checkpoint.\n"
      "\nExamples:\n"
      "  braid inspect consumequeue /var/lib/braid/shard-0/consumequeue/orders/0\n"
      "  braid inspect consumequeue ~/store/consumequeue/TopicTest/0/00000000000000000000 --format json\n\n" +
      std::string(kExitCodes));
}

void add_checkpoint(CLI::App& inspect, InspectOptions& options) {
  add_subject(inspect, options, Subject::kCheckpoint, "checkpoint",
              "show both checkpoints, which one counts, and what it says", "DIR",
              "a data directory, or a shard's directory")
      ->footer(
          "Partitions with their offsets and leader epochs; of each log file what belongs to which partition.\n"
          "\nExample:\n"
          "  braid inspect checkpoint /var/lib/braid\n\n" +
          std::string(kExitCodes));
}

void add_where(CLI::App& inspect, InspectOptions& options) {
  CLI::App* const command =
      add_subject(inspect, options, Subject::kWhere, "where", "follow an offset to its bytes, field by field", "DIR",
                  "a data directory, or a shard's directory");
  command->add_option("TOPIC", options.topic, "the topic's name")->required();
  command->add_option("PARTITION", options.partition, "the partition's number")
      ->required()
      ->check(CLI::NonNegativeNumber);
  command->add_option("OFFSET", options.offset, "of the record")->required()->check(CLI::NonNegativeNumber);
  command->footer(
      "Partition, unit of the queue, entry of the log, batch, record: each with file and byte.\n"
      "\nExample:\n"
      "  braid inspect where /var/lib/braid orders 0 1234\n\n" +
      std::string(kExitCodes));
}

void add_verify(CLI::App& inspect, InspectOptions& options) {
  add_subject(inspect, options, Subject::kVerify, "verify", "check every byte that has a check, and every unit", "DIR",
              "a data directory, a shard's directory, a folder of log files, or one log file")
      ->footer(
          "Identity, superblocks, entries with their CRCs, both checkpoints, and each unit of each queue against its "
          "entry.\n"
          "Works beside a running broker. Progress goes to standard error.\n"
          "\nExample:\n"
          "  braid inspect verify /var/lib/braid --format json\n\n" +
          std::string(kExitCodes));
}

void add_rebuild(CLI::App& inspect, InspectOptions& options) {
  add_subject(inspect, options, Subject::kRebuild, "rebuild",
              "build queues, times and checkpoint anew from the log; the broker must be stopped", "DIR",
              "a data directory, or a shard's directory")
      ->footer(
          "The only one of these commands that writes. It opens the store, which cuts a torn end as every start does, "
          "removes\n"
          "what is derived from the log, and builds it again. Killed half-way, the next start or rebuild does the "
          "rest.\n"
          "\nExample:\n"
          "  braid inspect rebuild /var/lib/braid\n\n" +
          std::string(kExitCodes));
}

}  // namespace

CLI::App* add_inspect_command(CLI::App& app, InspectOptions& options) {
  CLI::App* const inspect = app.add_subcommand("inspect", "look into the files of a data directory");
  inspect->require_subcommand(1);
  add_commit_log(*inspect, options);
  add_consume_queue(*inspect, options);
  add_checkpoint(*inspect, options);
  add_where(*inspect, options);
  add_verify(*inspect, options);
  add_rebuild(*inspect, options);
  inspect->footer(
      "All but rebuild only read, take no lock, and work on a directory in use and on a damaged one. What was found "
      "goes to\n"
      "standard output, remarks and progress to standard error; `braid inspect COMMAND --help` has examples.\n\n" +
      std::string(kExitCodes));
  return inspect;
}

}  // namespace braid::broker
