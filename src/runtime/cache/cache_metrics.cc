// SPDX-License-Identifier: Apache-2.0
#include "runtime/cache/cache_metrics.h"

#include "runtime/cache/feed.h"

namespace fixpoint::runtime {
namespace {

// As client-go labels its informers.
std::vector<std::string> collection_labels() {
  return {"name", "group", "version", "resource"};
}

LabelValues collection_label_values(const FollowStatistics& follow) {
  const auto& resource = follow.collection.resource;
  return {follow.collection.ns, resource.kind.group, resource.kind.version, resource.plural};
}

}  // namespace

CacheMetrics::CacheMetrics(MetricsRegistry& registry, const std::string& prefix)
    : version_(registry.gauge({"informer_store_resource_version",
                               "The newest version that was seen; the name is the namespace.",
                               collection_labels()})),
      objects_(
          registry.gauge({prefix + "cache_objects", "Objects in the cache.", collection_labels()})),
      bytes_(registry.gauge(
          {prefix + "cache_bytes", "What they and their indexes take.", collection_labels()})),
      relists_(registry.counter(
          {prefix + "cache_relists_total", "Lists after the first one.", collection_labels()})),
      failures_(registry.counter({prefix + "cache_failures_total",
                                  "Lists and watches that went wrong and were begun again.",
                                  collection_labels()})),
      rewinds_(
          registry.counter({prefix + "cache_rewinds_total",
                            "Times that the server went back in time.", collection_labels()})) {}

void CacheMetrics::refresh(const std::vector<FollowStatistics>& all) {
  for (auto* family : {&version_, &objects_, &bytes_}) family->clear();
  for (const auto& follow : all) {
    const auto labels = collection_label_values(follow);
    version_.with(labels).set(static_cast<double>(version_number(follow.resource_version)));
    objects_.with(labels).set(static_cast<double>(follow.objects));
    bytes_.with(labels).set(static_cast<double>(follow.bytes));
    relists_.with(labels).raise_to(static_cast<double>(follow.relists));
    failures_.with(labels).raise_to(static_cast<double>(follow.reflector.failures));
    rewinds_.with(labels).raise_to(static_cast<double>(follow.rewinds));
  }
}

}  // namespace fixpoint::runtime
