#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/groups/group_machine.h"
#include "protocol/base/check.h"

namespace braid::broker {

/// Who joins; by default a consumer without an id.
struct TestMember {
  std::string group = "g";
  std::string id = "";
  std::optional<std::string> instance = std::nullopt;
  std::string protocol_type = "consumer";
  std::vector<std::pair<std::string, std::string>> protocols = {{"range", "m"}};
  std::chrono::milliseconds session{10'000};
  std::chrono::milliseconds rebalance{60'000};
  std::string client = "client";
  bool id_required = false;
  bool can_skip = false;
};

/// A GroupMachine with a clock that the test moves and a log that it can be started from again. Records are replayed as
/// soon as they are decided, as their owner does.
class GroupWorld {
 public:
  explicit GroupWorld(GroupSettings settings = quick()) : settings_(settings) { restart(); }

  /// No delay before the first rebalance.
  static GroupSettings quick() {
    GroupSettings settings;
    settings.initial_rebalance_delay = std::chrono::milliseconds(0);
    return settings;
  }

  GroupMachine& machine() { return *machine_; }
  GroupTime time() const { return time_; }
  const std::vector<GroupRecord>& log() const { return log_; }
  void restart() {
    machine_ = std::make_unique<GroupMachine>(settings_);
    for (const GroupRecord& record : log_) replay(record);
    machine_->finish_loading(time_);
  }
  /// Timers pass one by one, each at its time.
  void advance(std::chrono::milliseconds by) {
    const protocol::Instant end = time_.now + by;
    while (true) {
      const auto due = machine_->next_due();
      const protocol::Instant next = due && *due < end ? std::max(*due, time_.now) : end;
      time_.wall.milliseconds += std::chrono::duration_cast<std::chrono::milliseconds>(next - time_.now).count();
      time_.now = next;
      settle([&](GroupOutcome& out) { machine_->tick(time_, out); });
      if (next == end && (!machine_->next_due() || *machine_->next_due() > end)) return;
    }
  }

  using Member = TestMember;
  /// The answer comes now or later: joined() tells.
  Ticket join(const Member& member) {
    const Ticket ticket{++last_ticket_};
    JoinQuestion question;
    question.group_id = member.group;
    question.member_id = member.id;
    if (member.instance) question.instance_id = *member.instance;
    question.protocol_type = member.protocol_type;
    for (const auto& [name, metadata] : member.protocols) question.protocols.push_back({name, bytes(metadata)});
    question.session_timeout = member.session;
    question.rebalance_timeout = member.rebalance;
    question.client_id = member.client;
    question.client_host = "/127.0.0.1";
    const std::string fresh = member.instance.value_or(member.client) + "-" + std::to_string(last_ticket_);
    question.fresh_member_id = fresh;
    question.member_id_required_first = member.id_required;
    question.can_skip_assignment = member.can_skip;
    settle([&](GroupOutcome& out) { machine_->join(question, ticket, time_, out); });
    return ticket;
  }
  Ticket sync(const JoinAnswer& as, const std::vector<std::pair<std::string, std::string>>& assignments = {},
              std::optional<std::string> instance = std::nullopt, std::string_view group = "g") {
    const Ticket ticket{++last_ticket_};
    SyncQuestion question;
    question.group_id = group;
    question.claim = claim(as, instance);
    for (const auto& [id, assignment] : assignments) question.assignments.emplace_back(id, bytes(assignment));
    settle([&](GroupOutcome& out) { machine_->sync(question, ticket, time_, out); });
    return ticket;
  }
  static MemberClaim claim(const JoinAnswer& as, const std::optional<std::string>& instance = std::nullopt) {
    return {as.member_id, instance ? std::optional<std::string_view>(*instance) : std::nullopt, as.generation};
  }
  std::vector<protocol::ErrorCode> leave(const std::vector<Leaver>& leavers, std::string_view group = "g") {
    std::vector<protocol::ErrorCode> errors;
    settle([&](GroupOutcome& out) { errors = machine_->leave(group, leavers, time_, out); });
    return errors;
  }
  protocol::ErrorCode heartbeat(const JoinAnswer& as, const std::optional<std::string>& instance = std::nullopt) {
    return machine_->heartbeat("g", claim(as, instance), time_);
  }
  protocol::ErrorCode commit(CommitQuestion question) {
    std::vector<protocol::ErrorCode> errors;
    settle([&](GroupOutcome& out) { errors = machine_->commit(question, time_, out); });
    return errors.at(0);
  }
  protocol::ErrorCode commit(std::int64_t offset, const MemberClaim& by = {}, std::string_view topic = "t",
                             std::string_view group = "g") {
    return commit({group, by, std::nullopt, false, {{topic, 0, offset, -1, ""}}});
  }
  std::optional<std::int64_t> committed(std::string_view topic = "t", std::string_view group = "g") const {
    const CommittedOffset* const found = machine_->durable().find_offset(group, topic, 0);
    return found == nullptr ? std::nullopt : std::optional(found->offset);
  }
  void expire() {
    std::optional<std::string> after;
    do {
      settle([&](GroupOutcome& out) { after = machine_->expire_offsets(after, time_, out); });
    } while (after);
  }
  template <class Do>
  void settle(Do do_it) {
    GroupOutcome out;
    do_it(out);
    for (GroupRecord& record : out.records) {
      replay(record);
      log_.push_back(std::move(record));
    }
    for (auto& [ticket, answer] : out.joins)
      protocol::check(joins_.emplace(ticket, std::move(answer)).second, "a join is answered once");
    for (auto& [ticket, answer] : out.syncs)
      protocol::check(syncs_.emplace(ticket, std::move(answer)).second, "a sync is answered once");
  }

  bool waits(Ticket ticket) const { return !joins_.contains(ticket) && !syncs_.contains(ticket); }
  const JoinAnswer& joined(Ticket ticket) const { return joins_.at(ticket); }
  const SyncAnswer& synced(Ticket ticket) const { return syncs_.at(ticket); }
  GroupState state(std::string_view group = "g") { return machine_->describe(group).state; }

  /// A member that has joined alone and got its assignment.
  JoinAnswer settled_member(const Member& member = {}) {
    const Ticket ticket = join(member);
    advance(std::chrono::milliseconds(0));
    const JoinAnswer answer = joined(ticket);
    sync(answer, {{answer.member_id, "a"}}, member.instance);
    return answer;
  }
  /// All members of a new group, each with an assignment of its own number; the leader is the first.
  std::vector<JoinAnswer> settled_members(const std::vector<Member>& members) {
    std::vector<Ticket> tickets;
    for (const Member& member : members) tickets.push_back(join(member));
    advance(std::chrono::milliseconds(0));
    std::vector<JoinAnswer> answers;
    std::vector<std::pair<std::string, std::string>> assignments;
    for (const Ticket ticket : tickets) {
      answers.push_back(joined(ticket));
      assignments.emplace_back(answers.back().member_id, std::to_string(assignments.size()));
    }
    for (std::size_t i = 0; i < answers.size(); ++i)
      sync(answers[i], i == 0 ? assignments : std::vector<std::pair<std::string, std::string>>{}, members[i].instance);
    return answers;
  }

  static protocol::ByteView bytes(std::string_view text) { return std::as_bytes(std::span(text)); }
  static std::string text(protocol::ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  void replay(const GroupRecord& record) {
    const std::optional<protocol::ByteView> value =
        record.value ? std::optional<protocol::ByteView>(*record.value) : std::nullopt;
    protocol::check(machine_->replay(record.key, value).has_value(), "a record of ours can be replayed");
  }

  GroupSettings settings_;
  GroupTime time_{protocol::Instant{} + std::chrono::hours(1), {1'700'000'000'000}};
  std::unique_ptr<GroupMachine> machine_;
  std::vector<GroupRecord> log_;
  std::map<Ticket, JoinAnswer> joins_;
  std::map<Ticket, SyncAnswer> syncs_;
  std::uint64_t last_ticket_ = 0;
};

}  // namespace braid::broker
