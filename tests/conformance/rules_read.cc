// SPDX-License-Identifier: Apache-2.0
//
// Rules 32 to 37: reads, lists, watches. And what is said of the rules after them, which are of
// clients and other controllers.
#include "tests/conformance/rules_steps.h"

namespace fixpoint::conformance {
namespace {

constexpr std::string_view kFuture = "resourceVersion=999999999999";

Rule freshness() {
  return {
      32,
      "GET and LIST without a resourceVersion read the latest committed state. 0: anything the "
      "server has. n: at least n, or 504. Exact: that version or 410.",
      {{"without a version, and with one that has been",
        steps({make(kConfigMaps, "a"), list(kConfigMaps), make(kConfigMaps, "b"), list(kConfigMaps),
               list(kConfigMaps, "resourceVersion=<<listed>>"), get(kConfigMaps, "a")})},
        {"0 is whatever there is, without pages",
        steps({make(kConfigMaps, "a"), then_settle(make(kConfigMaps, "b")),
               list(kConfigMaps, "resourceVersion=0"),
               list(kConfigMaps, "resourceVersion=0&limit=1"),
               with(get(kConfigMaps, "a"), "resourceVersion=0")})},
        {"exactly one that has been",
        steps({make(kConfigMaps, "a"), list(kConfigMaps),
               merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"), make(kConfigMaps, "b"),
               list(kConfigMaps, "resourceVersion=<<listed>>&resourceVersionMatch=Exact"),
               list(kConfigMaps, "resourceVersionMatch=Exact")})},
        {"none of the future", unwatched(steps({list(kConfigMaps, std::string{kFuture}),
                                               with(get(kConfigMaps, "a"), kFuture)}))}},
      "410 after compaction: src/apiserver/rules_read_test.cc."
  };
}

Rule pages() {
  return {
      33,
      "Lists are snapshots at the list's own version; continue tokens expire (410). Order is by "
      "key, not time.",
      {{"later pages are of the first one's state",
        steps({make(kConfigMaps, "c"), make(kConfigMaps, "a"), make(kConfigMaps, "e"),
               list(kConfigMaps, "limit=2"), make(kConfigMaps, "d"), remove(kConfigMaps, "e"),
               list(kConfigMaps, "limit=2&continue=<<continue>>"), list(kConfigMaps)})},
        {"the order is that of the names",
        steps({make(kBoats, "b"), make(kBoats, "c"), make(kBoats, "a"), list(kBoats)})}},
      "Tokens that expired: src/apiserver/rules_read_test.cc."
  };
}

Rule watches() {
  const auto path = item(kConfigMaps, "a");
  return {
      34,
      "A watch from version n delivers every later change of the selection in order, each once, "
      "until closed. History is short: 410.",
      {{"every change, once, in order",
        steps({watch(kConfigMaps, "resourceVersion=<<rv>>"), make(kConfigMaps, "a"),
               make(kConfigMaps, "b"), merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"),
               merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"), remove(kConfigMaps, "b"),
               remove(kConfigMaps, "a")})},
        {"from a version on, without that one",
        steps({make(kConfigMaps, "a"), merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"),
               merge_patch(kConfigMaps, "a", R"({"data":{"x":"2"}})"),
               watch(kConfigMaps, "resourceVersion=<<old " + path + ">>"),
               merge_patch(kConfigMaps, "a", R"({"data":{"x":"3"}})")})},
        {"without a version, what there is comes first",
        steps({make(kConfigMaps, "b"), then_settle(make(kConfigMaps, "a")), watch(kConfigMaps),
               then_settle(merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"))})}},
      "410: src/apiserver/rules_read_test.cc."
  };
}

Rule bookmarks() {
  return {
      35,
      "Bookmarks carry only a version. No promise of any, but for the one that ends a streaming "
      "list.",
      {{"a streaming list says where it ends",
        steps({make(kConfigMaps, "a"), then_settle(make(kConfigMaps, "b")),
               watch(kConfigMaps,
                     "allowWatchBookmarks=true&sendInitialEvents=true&"
                     "resourceVersionMatch=NotOlderThan"),
               then_settle(make(kConfigMaps, "c"))})}},
      "Those in between: src/apiserver/rules_read_test.cc."};
}

Rule selections() {
  constexpr std::string_view kIn = R"({"metadata":{"labels":{"x":"y"}}})";
  constexpr std::string_view kOut = R"({"metadata":{"labels":{"x":"z"}}})";
  auto labelled = steps({make(kConfigMaps, "a", kIn), make(kConfigMaps, "b", kOut),
                         watch(kConfigMaps, "labelSelector=x%3Dy&resourceVersion=<<rv>>"),
                         merge_patch(kConfigMaps, "a", std::string{kOut}),
                         merge_patch(kConfigMaps, "a", R"({"data":{"x":"1"}})"),
                         merge_patch(kConfigMaps, "a", std::string{kIn}),
                         merge_patch(kConfigMaps, "a", R"({"data":{"x":"2"}})"),
                         remove(kConfigMaps, "b"), remove(kConfigMaps, "a")});
  labelled.watches = {collection(kConfigMaps) + "?labelSelector=x%3Dy"};
  return {
      36,
      "A selector watch turns \"left the selection\" into DELETED and \"entered\" into ADDED.",
      {{"by label", std::move(labelled)},
        {"by field",
        steps({make(kPods, "p"),
               watch(kPods, "fieldSelector=status.phase%3DRunning&resourceVersion=<<rv>>"),
               on(merge_patch(kPods, "p", R"({"status":{"phase":"Running"}})"), "status"),
               on(merge_patch(kPods, "p", R"({"status":{"phase":"Failed"}})"), "status")})}}
  };
}

Rule recreation() {
  return {37,
          "Intermediate versions may never be seen after a re-list; delete and re-create can look "
          "like one change with a new uid.",
          {{"the list shows another object of the same name",
            steps({make(kConfigMaps, "a", R"({"data":{"x":"1"}})"), list(kConfigMaps),
                   remove(kConfigMaps, "a"), make(kConfigMaps, "a", R"({"data":{"x":"2"}})"),
                   list(kConfigMaps)})}}};
}

// Of clients and of controllers: no request to a server shows them.
constexpr std::string_view kInCache =
    "src/runtime/cache/contents_test.cc, with any order of events.";
constexpr std::string_view kInReflector = "src/runtime/cache/reflector_test.cc.";
constexpr std::string_view kInQueue = "src/runtime/controller/work_queue_test.cc.";
constexpr std::string_view kInElector = "src/runtime/election/elector_test.cc.";
constexpr std::string_view kInWorkloads =
    "src/cluster/workloads/; beside a real controller manager: workloads_test.cc.";
constexpr std::string_view kInPods =
    "src/node/pod/status_test.cc; on other nodes: src/cluster/nodes/.";
constexpr std::string_view kInOthers =
    "workloads_test.cc and surroundings_test.cc; edits by others: the verifier's environment.";

}  // namespace

std::vector<Rule> read_rules() {
  return {freshness(), pages(), watches(), bookmarks(), selections(), recreation()};
}

std::vector<Rule> other_rules() {
  return {
      {38,
       "A client's cache lags its own writes without bound; kinds lag differently.",           {},
       kInCache                                                                                                },
      {39,
       "A client's first list may use version 0; after a restart its view may be older than "
       "before.",                                                                              {},
       kInReflector                                                                                            },
      {40, "Deletes missed during a gap arrive as tombstones with a stale object.",            {}, kInCache    },
      {41,
       "The work queue merges keys, never runs one key twice at once, and backs off per key.", {},
       kInQueue                                                                                                },
      {42, "Resync replays everything with no change; handlers get duplicates.",               {}, kInCache    },
      {43, "Mixing direct responses into the cache can move it backwards.",                    {}, kInCache    },
      {44, "A paused leader wakes up and still sends one more write.",                         {}, kInElector  },
      {45,
       "StatefulSet: ordinals upward when all below are ready, downward one by one.",          {},
       kInWorkloads                                                                                            },
      {46, "Deployment: a ReplicaSet per template hash within its surge bounds.",              {}, kInWorkloads},
      {47, "Pod phases are terminal at Succeeded and Failed; readiness flips freely.",         {}, kInPods     },
      {48, "Jobs, Endpoints, autoscalers and other operators are writers too.",                {}, kInOthers   }
  };
}

}  // namespace fixpoint::conformance
