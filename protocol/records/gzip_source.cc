#include "protocol/records/gzip_source.h"

#include <new>

#include "protocol/base/check.h"

namespace braid::protocol {
namespace {

constexpr int kGzipOnly = 16;  // added to the window bits: refuse zlib and raw deflate

}  // namespace

GzipSource::GzipSource() {
  if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
}

GzipSource::~GzipSource() { inflateEnd(&stream_); }

void GzipSource::start(ByteView compressed) {
  check(inflateReset(&stream_) == Z_OK, "a zlib stream can be used again");
  // zlib only reads next_in, though its type is not const.
  stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(compressed.data()));
  stream_.avail_in = static_cast<uInt>(compressed.size());
  between_members_ = false;
}

Result<ByteView> GzipSource::next(MutableBytes out) {
  stream_.next_out = reinterpret_cast<Bytef*>(out.data());
  stream_.avail_out = static_cast<uInt>(out.size());
  while (stream_.avail_out != 0) {
    if (between_members_) {
      if (stream_.avail_in == 0) break;
      check(inflateReset(&stream_) == Z_OK, "a zlib stream can be used again");
      between_members_ = false;
    }
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status == Z_BUF_ERROR || (status == Z_OK && stream_.avail_in == 0 && stream_.avail_out != 0)) {
      return make_error_code(Errc::truncated);
    } else if (status != Z_OK) {
      return make_error_code(Errc::malformed);
    }
  }
  return ByteView(out.first(out.size() - stream_.avail_out));
}

}  // namespace braid::protocol
