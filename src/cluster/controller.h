// SPDX-License-Identifier: Apache-2.0
//
// Controller: a built-in loop as a deterministic machine.
//
// It is told of changes, keeps a queue of what to look at, and makes one small step at a time
// through Api. It has no thread, no clock and no cache of its own: the shell (controllers.h) drives
// it in `fixpoint up`, and the verifier drives the same code in any order it likes.
// Invariant: a step that was interrupted anywhere and is done again ends in the same state.
#pragma once

#include "apiserver/request.h"
#include "apiserver/resource.h"
#include "cluster/object_index.h"
#include "cluster/reader.h"
#include "store/store.h"

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fixpoint::cluster {

// The API server that the loops run beside; its reads are live.
class Server {
 public:
  virtual ~Server() = default;
  virtual apiserver::Response call(const apiserver::Request& request) = 0;
  virtual const store::Snapshot& latest() const = 0;
  virtual apiserver::CustomKinds& kinds() = 0;
  virtual Instant now() const = 0;
};

// What a controller may do: the server, and the index of owners that all loops share.
class Api {
 public:
  Api(Server& server, ObjectIndex& index) : server_(server), index_(index) {}

  // What it writes is in the index when it returns.
  apiserver::Response call(const apiserver::Request& request);
  const store::Snapshot& latest() const { return server_.latest(); }
  apiserver::CustomKinds& kinds() { return server_.kinds(); }
  Instant now() const { return server_.now(); }
  // Good until the next call.
  Reader reader() const { return {latest(), index_}; }

 private:
  Server& server_;
  ObjectIndex& index_;
};

class Controller {
 public:
  virtual ~Controller() = default;
  virtual std::string_view name() const = 0;
  // Everything that is there when the controller begins.
  virtual void begin(Api& api) = 0;
  virtual void observe(const store::Event& event) = 0;
  // One unit of work; false when there is none.
  virtual bool step(Api& api) = 0;
  // When it wants to be stepped although nothing changed; nothing when it does not.
  virtual std::optional<Instant> wakes() const { return std::nullopt; }
};

// Deletions in one step of a loop that empties something large: a few milliseconds of work.
inline constexpr std::size_t kDeletesPerStep = 100;

// Keys still to be looked at, each once.
class KeyQueue {
 public:
  void add(std::string key);
  std::optional<std::string> take();
  bool empty() const { return order_.empty(); }

 private:
  std::deque<std::string> order_;
  std::set<std::string, std::less<>> known_;
};

// "deployments.apps/ns/name" taken apart.
struct KeyParts {
  std::string_view prefix;  // "deployments.apps/"
  std::string_view ns;
  std::string_view name;
};
KeyParts split_key(std::string_view key);

// Requests as the loops make them: JSON bodies, the system user, their own name as field manager.
apiserver::Request request_for(const apiserver::Resource& resource, apiserver::Verb verb,
                               std::string_view ns, std::string_view name);
std::optional<apiserver::Resource> resource_of(Api& api, json::View object);
// Writes the whole object back under its own resourceVersion: a race is a conflict, and the event
// of the write that won brings the loop back to it.
void send_update(Api& api, const json::Draft& object);

}  // namespace fixpoint::cluster
