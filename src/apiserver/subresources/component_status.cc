// SPDX-License-Identifier: Apache-2.0
#include "apiserver/subresources/component_status.h"

#include "apiserver/body/options.h"
#include "apiserver/read/list.h"
#include "json/draft.h"

#include <algorithm>
#include <array>

namespace fixpoint::apiserver {
namespace {

constexpr std::array<std::string_view, 3> kComponents{"controller-manager", "etcd-0", "scheduler"};

json::Value component(std::string_view name) {
  auto healthy = json::Draft::object({
      {"type",    "Healthy"},
      {"status",  "True"   },
      {"message", "ok"     }
  });
  return json::Draft::object({
                                 {"kind",       "ComponentStatus"                       },
                                 {"apiVersion", "v1"                                    },
                                 {"metadata",   json::Draft::object({{"name", name}})   },
                                 {"conditions", json::Draft::array({std::move(healthy)})}
  })
      .freeze();
}

}  // namespace

bool is_component_status(const Resource& resource) {
  return resource.prefix == "componentstatuses/";
}

Response get_component(const Request& request) {
  if (std::ranges::find(kComponents, request.name) == kComponents.end()) {
    return failure(kube::not_found({"", "componentstatus"}, request.name));
  }
  Response response;
  response.body = component(request.name);
  return response;
}

Response list_components(const Request& request, const Resource& resource) {
  const auto options = parse_list_options(request);
  if (!options) return failure(options.error());
  const auto selection = selection_of(request, resource, *options);
  if (!selection) return failure(selection.error());
  ListPage page{.item_kind = resource.kind,
                .list_kind = "ComponentStatusList",
                .revision = {},
                .continue_token = {},
                .remaining_item_count = {},
                .items = {}};
  for (const auto name : kComponents) {
    auto body = component(name);
    if (!selection->matches(body)) continue;
    auto record = make_ref<store::Record>();
    record->key = resource.prefix + "/" + std::string{name};
    record->body = std::move(body);
    page.items.emplace_back(record);
  }
  Response response;
  response.list = std::move(page);
  return response;
}

}  // namespace fixpoint::apiserver
