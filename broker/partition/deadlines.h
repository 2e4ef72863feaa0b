#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <optional>

#include "protocol/base/clock.h"

namespace braid::broker {

/// Has to do something at a time, unless it ends before: then it just leaves the list by being destroyed.
class Deadline : public boost::intrusive::list_base_hook<boost::intrusive::tag<struct DeadlineList>,
                                                         boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  using Hook = boost::intrusive::list_base_hook<boost::intrusive::tag<DeadlineList>,
                                                boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;
  protocol::Instant due{};

  /// Once, at or soon after `due`; it is in no list any more.
  virtual void passed() = 0;

  Deadline() = default;
  virtual ~Deadline() = default;
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
};

/// Many deadlines with one timer, for those that are hardly ever reached: it runs up to the earliest and looks at all
/// of them then, not at each that ends in time. The lane's.
class Deadlines {
 public:
  /// Both outlive it.
  Deadlines(boost::asio::io_context& loop, const protocol::Clock& clock) : clock_(clock), timer_(loop) {}

  /// At deadline.due; one that is in the list already stays as it is.
  void add(Deadline& deadline, protocol::Instant due);
  /// No deadline passes any more.
  void stop();

 private:
  using List = boost::intrusive::list<Deadline, boost::intrusive::base_hook<Deadline::Hook>,
                                      boost::intrusive::constant_time_size<false>>;

  void run_until(protocol::Instant due);
  void look();

  const protocol::Clock& clock_;
  boost::asio::steady_timer timer_;
  List list_;
  std::optional<protocol::Instant> runs_until_;
  bool stopped_ = false;
};

}  // namespace braid::broker
