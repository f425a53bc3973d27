// SPDX-License-Identifier: Apache-2.0
//
// Volumes: a volume is available, bound to the claim it is kept for, or released once that claim is
// gone. What becomes of a released one is reclaim.h's.
#pragma once

#include "cluster/keyed_controller.h"

namespace fixpoint::cluster::storage {

struct VolumeFacts {
  json::Value volume;
  json::Value claim;  // the one of the name in claimRef; null when there is none
};

Decision decide(const VolumeFacts& facts);

class VolumeController final : public KeyedController {
 public:
  VolumeController();

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;
  void map(const store::Event& event, const Reader& reader, KeyQueue& keys) const override;
};

}  // namespace fixpoint::cluster::storage
