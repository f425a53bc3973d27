// SPDX-License-Identifier: Apache-2.0
#include "node/agent/leftovers.h"

#include "base/file.h"
#include "json/parsing/parse.h"
#include "kube/meta/metadata.h"
#include "node/process/run_spec.h"

namespace fixpoint::node {

std::map<std::string, json::Value> pods_on_disk(const std::filesystem::path& directory) {
  std::map<std::string, json::Value> out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const auto uid = entry.path().filename().string();
    const auto text = read_file(entry.path() / "pod.json");
    auto pod = text ? json::parse(*text) : Result<json::Value>{json::Value{}};
    const bool fits = pod && kube::uid_of(*pod) == uid;
    out[uid] = fits ? *std::move(pod) : json::Value{};
  }
  return out;
}

}  // namespace fixpoint::node
