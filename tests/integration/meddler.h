// SPDX-License-Identifier: Apache-2.0
//
// Meddler: stands between an operator and its API server, hands requests on, and does to any of
// them what networks, proxies and servers do on a bad day. It has a thread of its own; a test tells
// it what to do and asks what it saw.
//
// Its kubeconfig names files for the token and the authority, since those are rotated too.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "net/http.h"
#include "tests/integration/cluster_access.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fixpoint {

class Meddler {
 public:
  struct Seen {
    std::string method;
    std::string path;
    std::string query;
    std::string token;  // of whoever asks

    bool is_watch() const { return query.find("watch=") != std::string::npos; }
    bool is_write() const { return method != "GET"; }
  };
  struct Deed {
    enum class What : std::uint8_t {
      Pass,
      Abort,       // the connection breaks; the server never heard of it
      LoseAnswer,  // the server acts, and the connection breaks before its answer
      Garble,      // the server acts, and its answer is no JSON
      Cut,         // the answer breaks off after so many bytes
      Answer,      // another answer; the server never heard of it
      Stall,       // no answer, ever
      Delay,       // the request is handed on after a while
    };
    What what = What::Pass;
    int code = 0;
    std::string body{};
    net::Headers headers{};
    std::size_t bytes = 0;
    Duration delay{};
  };
  using Script = std::function<Deed(const Seen&)>;  // called on the meddler's thread
  struct Entry {
    Seen seen;
    Deed::What deed = Deed::What::Pass;
    int code = 0;  // the server's; 0 when it did not answer
  };

  static Result<std::unique_ptr<Meddler>> start(const ClusterAccess& upstream,
                                                const std::filesystem::path& directory);
  ~Meddler();

  std::filesystem::path kubeconfig() const { return directory_ / "kubeconfig"; }
  // From now on; none: everything passes.
  void play(Script script);
  // Breaks every connection; new ones are accepted.
  void cut_connections();
  // From now on everything is handed on to that cluster, and what is open breaks.
  void redirect(const ClusterAccess& upstream);
  // Another authority and certificate; the file is written a moment later than the old one ends.
  void rotate_certificates();
  // What the token file says; the server's own token is put in its place on the way.
  void write_token(const std::string& token) const;

  std::vector<Entry> log() const;
  std::size_t count() const;

 private:
  struct State;
  Meddler() = default;

  std::filesystem::path directory_;
  std::unique_ptr<State> state_;
};

}  // namespace fixpoint
