#include "protocol/records/gzip_sink.h"

#include <new>

#include "protocol/base/check.h"

namespace braid::protocol {
namespace {

constexpr int kGzipFraming = 16;  // added to the window bits
constexpr int kMemoryLevel = 8;   // zlib's own default

}  // namespace

GzipSink::GzipSink() {
  const int status = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipFraming, kMemoryLevel,
                                  Z_DEFAULT_STRATEGY);
  if (status != Z_OK) throw std::bad_alloc();
}

GzipSink::~GzipSink() { deflateEnd(&stream_); }

void GzipSink::start(int level) {
  check(deflateReset(&stream_) == Z_OK, "a zlib stream can be used again");
  check(deflateParams(&stream_, level, Z_DEFAULT_STRATEGY) == Z_OK, "zlib knows the level");
}

Result<void> GzipSink::write(ByteView piece, ByteSink& out, MutableBytes staging) {
  return deflate_all(piece, Z_NO_FLUSH, out, staging);
}

Result<void> GzipSink::finish(ByteSink& out, MutableBytes staging) { return deflate_all({}, Z_FINISH, out, staging); }

Result<void> GzipSink::deflate_all(ByteView piece, int flush, ByteSink& out, MutableBytes staging) {
  // zlib only reads next_in, though its type is not const.
  stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(piece.data()));
  stream_.avail_in = static_cast<uInt>(piece.size());
  bool staging_was_filled = true;
  while (staging_was_filled) {
    stream_.next_out = reinterpret_cast<Bytef*>(staging.data());
    stream_.avail_out = static_cast<uInt>(staging.size());
    check(deflate(&stream_, flush) != Z_STREAM_ERROR, "a zlib stream is whole");
    TRY_DO(out.append(staging.first(staging.size() - stream_.avail_out)));
    staging_was_filled = stream_.avail_out == 0;
  }
  return ok();
}

}  // namespace braid::protocol
