#include "broker/net/http_server.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "broker/config/endpoint.h"
#include "broker/limits.h"
#include "protocol/base/limits.h"

namespace braid::broker {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;
using Parser = http::request_parser<http::empty_body>;
using Response = http::response<http::string_body>;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

Response response(HttpReply reply, unsigned http_version, bool keep_alive) {
  Response made;
  made.result(reply.status);
  made.version(http_version);
  made.set(http::field::content_type, reply.content_type);
  made.set(http::field::cache_control, "no-store");
  made.body() = std::move(reply.body);
  made.keep_alive(keep_alive);
  made.prepare_payload();
  return made;
}

/// Why a request is not even looked at; none: it is.
std::optional<HttpReply> refusal(const Parser& parser, const error_code& error) {
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return HttpReply{.status = 431, .body = "the request is larger than this server reads\n"};
  if (error) return HttpReply{.status = 400, .body = "this is no HTTP request\n"};
  const bool has_body = parser.chunked() || parser.content_length_remaining().value_or(0) > 0;
  if (has_body) return HttpReply{.status = 413, .body = "no request here has a body\n"};
  const http::verb method = parser.get().method();
  if (method != http::verb::get && method != http::verb::head)
    return HttpReply{.status = 405, .body = "only GET and HEAD are served\n"};
  return std::nullopt;
}

/// The client is gone, or too slow: nothing can be said to it.
bool is_over(const error_code& error) {
  return error && error.category() != http::make_error_code(http::error::bad_method).category();
}

}  // namespace

HttpServer::HttpServer(tcp::acceptor acceptor, Handler handler)
    : acceptor_(std::move(acceptor)),
      handler_(std::move(handler)),
      room_(acceptor_.get_executor(), asio::steady_timer::time_point::max()),
      pause_(acceptor_.get_executor()) {}

void HttpServer::start() { asio::co_spawn(acceptor_.get_executor(), accept_all(), asio::detached); }

asio::awaitable<void> HttpServer::accept_all() {
  while (acceptor_.is_open()) {
    if (open_ >= kHttpConnectionsMax) {
      co_await wait_for_room();
      continue;
    }
    auto [error, socket] = co_await acceptor_.async_accept(kAsTuple);
    if (!error) {
      ++open_;
      asio::co_spawn(acceptor_.get_executor(), serve(std::move(socket)), asio::detached);
    } else if (acceptor_.is_open()) {
      pause_.expires_after(std::chrono::milliseconds(protocol::kAcceptPauseMs));
      static_cast<void>(co_await pause_.async_wait(kAsTuple));  // cancelled only by a stop
    }
  }
}

asio::awaitable<void> HttpServer::wait_for_room() {
  static_cast<void>(co_await room_.async_wait(kAsTuple));  // cancelling it is how it is woken
}

asio::awaitable<void> HttpServer::serve(tcp::socket socket) {
  beast::tcp_stream stream(std::move(socket));
  beast::flat_buffer buffer(kHttpHeaderBytesMax + 1);  // one more, so that the header's own bound is met first
  bool keep_alive = true;
  while (keep_alive) {
    Parser parser;
    parser.header_limit(static_cast<std::uint32_t>(kHttpHeaderBytesMax));
    stream.expires_after(std::chrono::milliseconds(kHttpReadMs));
    const auto [read_error, read_bytes] = co_await http::async_read_header(stream, buffer, parser, kAsTuple);
    if (read_error == http::error::end_of_stream || is_over(read_error)) break;

    std::optional<HttpReply> reply = refusal(parser, read_error);
    keep_alive = !reply && parser.keep_alive();
    if (!reply) {
      const std::string target(parser.get().target());
      stream.expires_never();  // our own time; the answer's has a bound again
      auto answering = handler_(target);
      reply = co_await std::move(answering);
    }
    const std::shared_ptr<const void> ticket = std::move(reply->ticket);
    Response sent = response(*std::move(reply), parser.get().version(), keep_alive);
    if (sent.result_int() == 405) sent.set(http::field::allow, "GET, HEAD");
    http::response_serializer<http::string_body> serializer(sent);
    const bool head_only = parser.get().method() == http::verb::head;
    serializer.split(head_only);
    stream.expires_after(std::chrono::milliseconds(kHttpWriteMs));
    error_code write_error;
    if (head_only) {
      const auto [error, bytes] = co_await http::async_write_header(stream, serializer, kAsTuple);
      write_error = error;
    } else {
      const auto [error, bytes] = co_await http::async_write(stream, serializer, kAsTuple);
      write_error = error;
    }
    if (write_error) break;
  }
  error_code ignored;  // it is over for us, whatever the kernel says
  stream.socket().shutdown(tcp::socket::shutdown_both, ignored);
  stream.close();
  --open_;
  room_.cancel();
}

void HttpServer::close() {
  error_code ignored;  // it is over for us, whatever the kernel says
  acceptor_.close(ignored);
  room_.cancel();
  pause_.cancel();
}

std::string HttpServer::bound_address() const {
  const tcp::endpoint local = acceptor_.local_endpoint();
  return host_and_port(local.address().to_string(), local.port());
}

}  // namespace braid::broker
