// SPDX-License-Identifier: Apache-2.0
#include "net/gzip.h"

#include <algorithm>
#include <memory>

#include <zlib.h>

namespace fixpoint::net {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's way to say: 32 KiB window, gzip header
constexpr std::size_t kFirstOutputBytes = 16 * 1024;

struct Inflater {
  z_stream stream{};
  Inflater() { FP_CHECK(inflateInit2(&stream, kGzipWindow) == Z_OK); }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

struct Deflater {
  z_stream stream{};
  explicit Deflater(int level) {
    FP_CHECK(deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
};

void set_input(z_stream& stream, std::string_view bytes) {
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

void set_output(z_stream& stream, std::string& out, std::size_t used) {
  stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
  stream.avail_out = static_cast<uInt>(out.size() - used);
}

}  // namespace

Result<std::string> gzip(std::string_view plain, int level) {
  if (plain.size() > kGzipInputBytesMax) {
    return fail(ErrorKind::Exhausted, "the text is too large to compress in one piece");
  }
  Deflater deflater(std::clamp(level, 0, 9));
  std::string packed(deflateBound(&deflater.stream, plain.size()), '\0');
  set_input(deflater.stream, plain);
  set_output(deflater.stream, packed, 0);
  FP_CHECK(deflate(&deflater.stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(deflater.stream.total_out);
  return packed;
}

Result<std::string> gunzip(std::string_view packed, std::size_t bytes_max) {
  if (packed.size() > kGzipInputBytesMax) {
    return fail(ErrorKind::Exhausted, "the compressed text is too large");
  }
  Inflater inflater;
  set_input(inflater.stream, packed);
  std::string plain;
  while (true) {
    const std::size_t used = inflater.stream.total_out;
    if (used == plain.size()) {
      // One byte more than allowed, so that exactly `bytes_max` still ends normally.
      if (used > bytes_max) return fail(ErrorKind::Exhausted, "the text inflates past its bound");
      plain.resize(std::min(std::max(used * 2, kFirstOutputBytes), bytes_max + 1));
    }
    set_output(inflater.stream, plain, used);
    const int outcome = inflate(&inflater.stream, Z_NO_FLUSH);
    if (outcome == Z_STREAM_END) break;
    if (outcome != Z_OK || (inflater.stream.avail_in == 0 && inflater.stream.avail_out > 0)) {
      return fail(ErrorKind::Invalid, "the text is not complete gzip data");
    }
  }
  if (inflater.stream.total_out > bytes_max) {
    return fail(ErrorKind::Exhausted, "the text inflates past its bound");
  }
  if (inflater.stream.avail_in > 0) {
    return fail(ErrorKind::Invalid, "there are bytes after the gzip data");
  }
  plain.resize(inflater.stream.total_out);
  return plain;
}

}  // namespace fixpoint::net
