// SPDX-License-Identifier: Apache-2.0
//
// HTTP/2 from the network, after the preface: our session around nghttp2, its accounting and its
// life times. The first byte says in which pieces the rest arrives and to which side.
#include "base/error.h"
#include "net/protocol/client_session.h"
#include "session_host.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace {

using namespace fixpoint::net;

// A client with a few requests under way, one of which is cancelled in between.
class FuzzClient final : public ClientHost {
 public:
  void run(std::string_view bytes, std::size_t piece) {
    options_.header_bytes_max = 4096;
    options_.header_count_max = 32;
    const auto session = make_http2_client(*this);
    for (RequestId id = 1; id <= 3; ++id) {
      auto call = std::make_shared<Call>();
      call->id = id;
      call->request.body = std::string(id == 2 ? 5000 : 0, 'x');
      call->handlers.on_headers = [](int status, const Headers& headers) {
        FP_CHECK(status >= 200 && headers.size() <= 32);
      };
      calls_.push_back(call);
      session->submit(call);
    }
    send(*session);
    while (!bytes.empty() && !broken_) {
      const auto taken = bytes.substr(0, piece);
      bytes.remove_prefix(taken.size());
      session->received(taken);
      if (!calls_[0]->over && bytes.size() % 7 == 0) {
        calls_[0]->over = true;
        session->cancel(calls_[0]);
      }
      send(*session);
    }
    if (!broken_) session->peer_ended();
  }

  const ClientOptions& options() const override { return options_; }
  const std::string& authority() const override { return authority_; }
  void output_ready() override {}
  void finished(const CallRef& call, fixpoint::Result<void>) override { call->over = true; }
  void closing() override {}
  void broken(fixpoint::Error) override { broken_ = true; }

 private:
  void send(ClientSession& session) {
    char buffer[1000];
    while (!broken_ && session.pull(buffer) > 0) {
    }
  }

  ClientOptions options_;
  std::string authority_ = "a:1";
  std::vector<CallRef> calls_;
  bool broken_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + (data[0] >> 1);
  const std::string_view bytes{reinterpret_cast<const char*>(data) + 1, size - 1};
  if ((data[0] & 1) != 0) {
    FuzzClient().run(bytes, piece);
    return 0;
  }
  const std::string stream = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + std::string(bytes);
  fixpoint::fuzz::FuzzHost host;
  host.run(make_http2_session(host), stream, piece);
  return 0;
}
