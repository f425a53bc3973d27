// SPDX-License-Identifier: Apache-2.0
//
// VolumeReclaim: ends released volumes that say so (reclaim policy Delete): first the directory,
// then the object, so that nothing is forgotten on disk. Also sets up the default storage class.
//
// The directory is the one thing here that is not in the API; how it is removed is the edge's.
#pragma once

#include "base/error.h"
#include "cluster/controller.h"
#include "cluster/deadlines.h"
#include "cluster/event_recorder.h"

#include <chrono>
#include <functional>
#include <string>

namespace fixpoint::cluster::storage {

// Removes a directory with everything in it; one that is not there counts as removed.
using RemoveDirectory = std::function<Result<void>(const std::string& path)>;

class VolumeReclaim final : public Controller {
 public:
  // Without `remove` directories stay: a cluster in memory has none.
  explicit VolumeReclaim(RemoveDirectory remove) : remove_(std::move(remove)) {}

  std::string_view name() const override { return "persistentvolume-reclaim"; }
  void begin(Api& api) override;
  void observe(const store::Event& event) override;
  bool step(Api& api) override;
  std::optional<Instant> wakes() const override { return deadlines_.first(); }

 private:
  // A directory that cannot be removed is tried again; somebody may still have to let go of it.
  static constexpr std::chrono::seconds kTryAgain{15};

  void consider(const store::RecordRef& record);
  void reclaim(Api& api, const std::string& key);

  RemoveDirectory remove_;
  bool class_known_ = true;
  KeyQueue queue_;
  Deadlines deadlines_;
  EventRecorder recorder_{"persistentvolume-controller"};
};

}  // namespace fixpoint::cluster::storage
