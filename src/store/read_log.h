// SPDX-License-Identifier: Apache-2.0
//
// ReadLog: what was asked of snapshots on this thread while somebody listened.
//
// For the verifier: what a server makes of a request follows from the request and from what it read
// of the store, so that a store which answers these questions alike need not be asked again.
// Nobody listens in a server that runs.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fixpoint::store {

struct ReadLog {
  std::vector<std::string> keys;                            // of find()
  std::vector<std::pair<std::string, std::string>> ranges;  // prefix and after, of scan(), count()
  bool everything = false;                                  // the store as a whole, or its past

  bool operator==(const ReadLog&) const = default;
};

// Notes everything that this thread reads, as long as it is there. Nobody listens to a listener.
class Listening {
 public:
  explicit Listening(ReadLog& log);
  ~Listening();
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
};

}  // namespace fixpoint::store
