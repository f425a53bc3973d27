// SPDX-License-Identifier: Apache-2.0
//
// Claims: a claim takes the smallest volume that suits it, waits for one to be provided, or says
// why it does neither. Once bound it stays bound; without its volume it is lost.
#pragma once

#include "cluster/keyed_controller.h"

#include <string>
#include <vector>

namespace fixpoint::cluster::storage {

struct ClaimFacts {
  json::Value claim;
  json::Value storage_class;              // null when it names none, or one that is not there
  std::string default_class;              // empty when there is none
  json::Value volume;                     // the one spec.volumeName names
  std::vector<json::Value> candidates;    // the best first; wherever they are
  std::vector<std::string> waiting_pods;  // that use it and have no node yet
};

Decision decide(const ClaimFacts& facts);

class ClaimController final : public KeyedController {
 public:
  ClaimController();

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;
  void map(const store::Event& event, const Reader& reader, KeyQueue& keys) const override;
};

}  // namespace fixpoint::cluster::storage
