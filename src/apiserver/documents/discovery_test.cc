// SPDX-License-Identifier: Apache-2.0
#include "apiserver/documents/discovery.h"

#include "apiserver/api_fixture.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::apiserver {
namespace {

class DiscoveryTest : public ApiFixture {
 protected:
  void define(std::string_view plural, std::string_view kind, std::string_view group,
              std::string_view version) {
    const auto made = create(
        kDefinitions,
        fmt::format(R"({{"metadata":{{"name":"{0}.{2}"}},"spec":{{"group":"{2}","scope":"Cluster",
                         "names":{{"plural":"{0}","kind":"{1}"}},
                         "versions":[{{"name":"{3}","served":true,"storage":true,
                           "schema":{{"openAPIV3Schema":{{"type":"object"}}}}}}]}}}})",
                    plural, kind, group, version));
    ASSERT_EQ(made.code, 201) << message(made);
  }

  Discovery discovery() {
    return {core_.kinds().all(store_.latest()), [](std::string_view) { return std::string{}; }};
  }

  static std::vector<std::string> last(std::vector<std::string> names, std::size_t count) {
    return {names.end() - static_cast<std::ptrdiff_t>(std::min(count, names.size())), names.end()};
  }
};

// Whoever knows a resource only by a short name of several takes the first of them.
TEST_F(DiscoveryTest, GroupsOfCustomKindsComeAfterTheBuiltInByTheirOwnNames) {
  define("anchors", "Anchor", "wind.example.com", "v1");
  define("ropes", "Rope", "air.example.com", "v2");
  define("sails", "Sail", "air.example.com", "v1");
  define("masts", "Mast", "oak.example.com", "v1alpha1");

  const auto all = discovery();
  std::vector<std::string> aggregated;
  const auto document = all.aggregated(false);
  for (const auto item : document.get("items").elements()) {
    aggregated.emplace_back(item.get("metadata", "name").as_string());
  }
  EXPECT_EQ(last(aggregated, 4),
            (std::vector<std::string>{"flowcontrol.apiserver.k8s.io", "air.example.com",
                                      "oak.example.com", "wind.example.com"}));
}

// A real server sorts the plain list by the names of its APIServices, which begin with a version.
TEST_F(DiscoveryTest, ThePlainListHasThemByTheFirstOfTheirVersions) {
  define("yards", "Yard", "wind.example.com", "v1");
  define("ropes", "Rope", "air.example.com", "v2");
  define("masts", "Mast", "oak.example.com", "v1alpha1");

  std::vector<std::string> plain;
  const auto document = discovery().group_list();
  for (const auto group : document.get("groups").elements()) {
    plain.emplace_back(group.get("name").as_string());
  }
  EXPECT_EQ(last(plain, 3),
            (std::vector<std::string>{"wind.example.com", "oak.example.com", "air.example.com"}));
}

}  // namespace
}  // namespace fixpoint::apiserver
