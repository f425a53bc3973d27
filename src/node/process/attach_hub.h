// SPDX-License-Identifier: Apache-2.0
//
// AttachHub: a supervisor's side of `kubectl attach`: agents connect to a socket in the run's
// directory, get what the container writes from then on, and send what it reads.
//
// Who is connected and does not take what comes holds up the container's output, as a terminal
// does; after kPatience they are let go. For poll(2), not for the loop: a supervisor has none.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "node/process/attach_frames.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <poll.h>

namespace fixpoint::node {

class AttachHub {
 public:
  static constexpr Duration kPatience = std::chrono::seconds(10);
  // At the same time; a person has one or two.
  static constexpr std::size_t kClientsMax = 16;

  AttachHub() = default;
  ~AttachHub();
  AttachHub(const AttachHub&) = delete;
  AttachHub& operator=(const AttachHub&) = delete;

  Result<void> listen(const std::filesystem::path& directory);
  void send(AttachKind kind, std::string_view bytes);
  // Somebody has not taken all: the container has to wait.
  bool is_blocked() const;

  // What to wait for; `takes_input` when the container can be given more.
  void add_to(std::vector<pollfd>& polls, bool takes_input) const;
  // What was found, beginning where add_to began.
  void handle(const pollfd* polls, MonotonicInstant now,
              const std::function<void(const AttachFrame&)>& got);

 private:
  struct Client {
    int fd = -1;
    std::string waiting;
    MonotonicInstant since{};  // when it last took anything, while something waits
    AttachDecoder decoder;
    bool gone = false;
  };
  void accept_one();
  static void flush(Client& client);
  static void read_from(Client& client, const std::function<void(const AttachFrame&)>& got);

  int listener_ = -1;
  std::vector<Client> clients_;
};

// For the agent: the descriptor of a connection to the hub in that directory.
Result<int> connect_to_hub(const std::filesystem::path& directory);

}  // namespace fixpoint::node
