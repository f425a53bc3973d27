// SPDX-License-Identifier: Apache-2.0
//
// create_load COUNT: makes so many Widgets, 32 at a time, on the server that KUBECONFIG names, and
// prints how many a second. ./run points it first at a real server and then at ours.
#include "client/open_client.h"
#include "json/draft.h"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

namespace fixpoint::client {
namespace {

constexpr std::size_t kAtOnce = 32;

// About a kilobyte.
json::Value widget(std::size_t number) {
  auto object = json::Draft::object({
      {"apiVersion", "bench.fixpoint.dev/v1"},
      {"kind",       "Widget"               }
  });
  object.object_at("metadata")["name"] = "created-" + std::to_string(number);
  object.object_at("spec")["text"] = std::string(800, 'x');
  object.object_at("spec")["size"] = 42;
  return object.freeze();
}

struct Load {
  Client& client;
  net::Loop& loop;
  std::size_t count = 0;
  std::size_t sent = 0;
  std::size_t answered = 0;
  std::string problem;

  void next() {
    if (sent == count) return;
    Call call;
    call.verb = Verb::Create;
    call.resource = {
        .kind = {"bench.fixpoint.dev", "v1", "Widget"},
          .plural = "widgets"
    };
    call.key.ns = "bench";
    call.body = widget(sent++);
    client.call(std::move(call), [this](const Reply& reply) {
      if (!reply) problem = reply.error().status.message;
      if (++answered == count || !problem.empty()) return loop.stop();
      next();
    });
  }
};

Result<void> run(std::size_t count) {
  FP_TRY(config, load_config({}, Surroundings::of_process()));
  net::Loop loop;
  FP_TRY(client, open_client(loop, std::move(config)));
  Load load{.client = *client, .loop = loop, .count = count, .problem = {}};
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kAtOnce; ++i) load.next();
  loop.run();
  if (!load.problem.empty()) return fail(ErrorKind::Unavailable, load.problem);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("%.1f\n", static_cast<double>(count) / took.count());
  return {};
}

}  // namespace
}  // namespace fixpoint::client

int main(int argc, char** argv) {
  const std::string_view text{argc == 2 ? argv[1] : ""};
  std::size_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  if (count == 0) {
    std::fprintf(stderr, "usage: create_load COUNT\n");
    return 2;
  }
  const auto done = fixpoint::client::run(count);
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
