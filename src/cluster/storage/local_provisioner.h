// SPDX-License-Identifier: Apache-2.0
//
// LocalProvisioner: volumes that are directories of this machine, made for claims of the class
// "local-directory" (or any other class with this provisioner), and made larger when a claim asks.
//
// A volume is spec.hostPath below one directory, named after the claim's uid, and tied to the node
// that was chosen for its first pod. The directory itself is made by whoever mounts it.
#pragma once

#include "cluster/keyed_controller.h"

#include <string>

namespace fixpoint::cluster::storage {

struct ProvisionFacts {
  json::Value claim;
  json::Value storage_class;
  json::Value volume;  // its own, once it is there
  std::string directory;
};

Decision decide(const ProvisionFacts& facts);

class LocalProvisioner final : public KeyedController {
 public:
  explicit LocalProvisioner(std::string directory);

 private:
  Decision pass(const Reader& reader, const Subject& subject, Instant now) const override;

  std::string directory_;
};

}  // namespace fixpoint::cluster::storage
