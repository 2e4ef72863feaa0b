#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace braid::broker {

/// What is answered to one HTTP request.
struct HttpReply {
  unsigned status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";  // a constant
  std::string body{};
  std::shared_ptr<const void> ticket{};  // dropped when the answer has left
};

/// Serves GET and HEAD over HTTP/1.1 on one address, for monitoring; bounds: broker/limits.h. On the loop of its
/// acceptor; outlives that loop's run.
class HttpServer {
 public:
  /// `target`: path and query as they came, alive until the answer is there. On the server's loop.
  using Handler = std::function<boost::asio::awaitable<HttpReply>(const std::string& target)>;

  /// The acceptor listens already.
  HttpServer(boost::asio::ip::tcp::acceptor acceptor, Handler handler);

  void start();
  /// Accepts no more; what is connected ends with the loop.
  void close();
  /// HOST:PORT that is really bound.
  std::string bound_address() const;

 private:
  boost::asio::awaitable<void> accept_all();
  boost::asio::awaitable<void> serve(boost::asio::ip::tcp::socket socket);
  boost::asio::awaitable<void> wait_for_room();

  boost::asio::ip::tcp::acceptor acceptor_;
  const Handler handler_;
  boost::asio::steady_timer room_;  // never expires; cancelled when there is room
  boost::asio::steady_timer pause_;
  std::size_t open_ = 0;
};

}  // namespace braid::broker
