// SPDX-License-Identifier: Apache-2.0
//
// The rules of the API about server-side apply (29 to 31) and reads, lists and watches (32 to 37).
#include "apiserver/api_fixture.h"

namespace fixpoint::apiserver {
namespace {

std::string conf(std::string_view data) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf"},"data":)" +
         std::string{data} + "}";
}

class ReadRules : public ApiFixture {
 protected:
  void make(int count) {
    for (int i = 0; i < count; ++i) {
      create(kConfigMaps, R"({"metadata":{"name":"c)" + std::to_string(i) + R"("}})");
    }
  }
  static std::vector<std::string> names(const Response& listed) {
    std::vector<std::string> found;
    for (const auto& record : listed.list->items) {
      found.emplace_back(record->body.get("metadata", "name").as_string());
    }
    return found;
  }
  // What a watch would have been told since it was opened.
  std::vector<WatchEvent> told(const Watch& watch) {
    std::vector<WatchEvent> events;
    const auto since = store_.events_after(watch.from);
    for (const auto& event : *since) {
      if (auto one = watch.next(event)) events.push_back(*std::move(one));
    }
    return events;
  }
};

TEST_F(ReadRules, Rule29ApplyCreatesSharesAndConflicts) {
  const auto created = apply(kConf, conf(R"({"a":"1"})"), "one");
  const auto shared = apply(kConf, conf(R"({"a":"1"})"), "two");
  const auto refused = apply(kConf, conf(R"({"a":"2"})"), "two");
  const auto forced = apply(kConf, conf(R"({"a":"3"})"), "three", true);

  EXPECT_EQ(created.code, 201);
  EXPECT_EQ(shared.code, 200);
  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(message(refused), "Apply failed with 1 conflict: conflict with \"one\": .data.a");
  EXPECT_EQ(refused.body.get("details", "causes")[0].get("reason").as_string(),
            "FieldManagerConflict");
  EXPECT_EQ(text(forced, "data", "a"), "3");
}

TEST_F(ReadRules, Rule30FieldsNoLongerAppliedGoAndAPutTakesOwnershipQuietly) {
  apply(kConf, conf(R"({"a":"1","b":"2"})"), "one");

  const auto dropped = apply(kConf, conf(R"({"a":"1"})"), "one");
  put(kConf, R"({"metadata":{"name":"conf"},"data":{"a":"9"}})");
  const auto refused = apply(kConf, conf(R"({"a":"1"})"), "one");

  EXPECT_EQ(text(dropped, "data", "b"), "null");
  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(message(refused),
            "Apply failed with 1 conflict: conflict with \"test\" using v1: .data.a");
}

TEST_F(ReadRules, Rule31ListsMergeByTheirKeysAndStatusIsOwnedApart) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  const auto boat = [](std::string_view rest) {
    return R"({"apiVersion":"sea.example.com/v1","kind":"Boat","metadata":{"name":"one"},)" +
           std::string{rest} + "}";
  };
  apply(kBoat, boat(R"("spec":{"parts":[{"name":"mast","size":1}]})"), "one");

  const auto merged = apply(kBoat, boat(R"("spec":{"parts":[{"name":"keel","size":2}]})"), "two");
  const auto status =
      apply(std::string{kBoat} + "/status", boat(R"("status":{"phase":"Afloat"})"), "three");

  EXPECT_EQ(merged.code, 200) << message(merged);
  EXPECT_EQ(merged.body.get("spec", "parts").size(), 2U);
  ASSERT_EQ(status.code, 200) << message(status);
  bool apart = false;
  for (const json::View entry : status.body.get("metadata", "managedFields").elements()) {
    apart = apart || (entry.get("manager").as_string() == "three" &&
                      entry.get("subresource").as_string() == "status");
  }
  EXPECT_TRUE(apart);
}

TEST_F(ReadRules, Rule32AReadIsNeverFromTheFutureAndExactIsThatVersionOrGone) {
  make(2);
  const auto then = store_.revision();
  make(4);

  const auto exact = list(
      kConfigMaps, "resourceVersion=" + std::to_string(then.value) + "&resourceVersionMatch=Exact");
  const auto latest = list(kConfigMaps, "resourceVersion=0");
  const auto future = list(kConfigMaps, "resourceVersion=99999999");
  store_.compact(store_.revision());
  const auto old = list(
      kConfigMaps, "resourceVersion=" + std::to_string(then.value) + "&resourceVersionMatch=Exact");

  EXPECT_EQ(names(exact).size(), 2U);
  EXPECT_EQ(names(latest).size(), 4U);
  EXPECT_EQ(future.code, 504);
  EXPECT_EQ(message(future), "Timeout: Too large resource version: 99999999, current: " +
                                 std::to_string(store_.revision().value));
  EXPECT_EQ(old.code, 410);
  EXPECT_EQ(reason(old), "Expired");
}

TEST_F(ReadRules, Rule33PagesAreOneSnapshotInKeyOrderAndTokensExpire) {
  make(5);
  const auto first = list(kConfigMaps, "limit=2");
  create(kConfigMaps, R"({"metadata":{"name":"c2x"}})");

  const auto second = list(kConfigMaps, "limit=2&continue=" + first.list->continue_token);
  const auto third = list(kConfigMaps, "limit=2&continue=" + second.list->continue_token);
  store_.compact(store_.revision());
  const auto expired = list(kConfigMaps, "limit=2&continue=" + second.list->continue_token);
  const auto fresh =
      list(kConfigMaps,
           "limit=2&continue=" + std::string{expired.body.get("metadata", "continue").as_string()});

  EXPECT_EQ(names(first), (std::vector<std::string>{"c0", "c1"}));
  EXPECT_EQ(first.list->remaining_item_count, 3);
  EXPECT_EQ(names(second), (std::vector<std::string>{"c2", "c3"}));
  EXPECT_EQ(names(third), (std::vector<std::string>{"c4"}));
  EXPECT_EQ(third.list->continue_token, "");
  EXPECT_EQ(expired.code, 410);
  EXPECT_EQ(names(fresh), (std::vector<std::string>{"c4"}));
}

TEST_F(ReadRules, Rule33PagesOfAKindWithoutNamespacesGoOn) {
  constexpr std::string_view kClasses = "/apis/node.k8s.io/v1/runtimeclasses";
  for (const auto* name : {"a", "b", "c"}) {
    create(kClasses, R"({"handler":"h","metadata":{"name":")" + std::string{name} + R"("}})");
  }
  const auto first = list(kClasses, "limit=2");
  ASSERT_TRUE(first.list.has_value());
  const auto second = list(kClasses, "limit=2&continue=" + first.list->continue_token);

  EXPECT_EQ(names(first), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(message(second), "");
  EXPECT_EQ(names(second), (std::vector<std::string>{"c"}));
}

TEST_F(ReadRules, Rule34AWatchTellsEveryLaterChangeOnceInOrderOrIsGone) {
  const auto from = store_.revision();
  make(2);
  patch(std::string{kConfigMaps} + "/c0", R"({"data":{"a":"1"}})");
  remove(std::string{kConfigMaps} + "/c1");

  const auto opened = watch(kConfigMaps, "resourceVersion=" + std::to_string(from.value));
  ASSERT_TRUE(opened.has_value());
  const auto events = told(*opened);
  store_.compact(store_.revision());
  const auto gone = watch(kConfigMaps, "resourceVersion=" + std::to_string(from.value));

  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].type, WatchEventType::Added);
  EXPECT_EQ(events[2].type, WatchEventType::Modified);
  EXPECT_EQ(events[3].type, WatchEventType::Deleted);
  EXPECT_EQ(events[3].object.get("metadata", "resourceVersion").as_string(),
            std::to_string(store_.revision().value));
  ASSERT_TRUE(gone.has_value());
  ASSERT_EQ(gone->initial.size(), 1U);
  EXPECT_TRUE(gone->ends);
  EXPECT_EQ(gone->initial[0].type, WatchEventType::Error);
  EXPECT_EQ(gone->initial[0].object.get("code").as_int(), 410);
  EXPECT_EQ(gone->initial[0].object.get("message").as_string(),
            "too old resource version: " + std::to_string(from.value) + " (" +
                std::to_string(store_.oldest().value) + ")");
}

TEST_F(ReadRules, Rule35ABookmarkCarriesOnlyAVersion) {
  const auto opened = watch(kConfigMaps, "allowWatchBookmarks=true");
  ASSERT_TRUE(opened.has_value());

  const auto bookmark = opened->bookmark(store::Revision{7});

  EXPECT_EQ(json::to_text(bookmark.object),
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"7"}})");
}

TEST_F(ReadRules, Rule35ABookmarkIsAnObjectOfItsType) {
  const auto opened = watch("/api/v1/namespaces/ns/pods", "allowWatchBookmarks=true");
  ASSERT_TRUE(opened.has_value());

  const auto bookmark = opened->bookmark(store::Revision{7});

  EXPECT_EQ(json::to_text(bookmark.object),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"resourceVersion":"7"},)"
            R"("spec":{"containers":null},"status":{}})");
}

TEST_F(ReadRules, Rule35StreamingListsEndInTheirBookmark) {
  make(1);

  const auto opened = watch(kConfigMaps,
                            "allowWatchBookmarks=true&sendInitialEvents=true&"
                            "resourceVersionMatch=NotOlderThan");

  ASSERT_TRUE(opened.has_value());
  ASSERT_EQ(opened->initial.size(), 2U);
  EXPECT_EQ(opened->initial[0].type, WatchEventType::Added);
  EXPECT_EQ(opened->initial[1].type, WatchEventType::Bookmark);
  EXPECT_EQ(opened->initial[1]
                .object.get("metadata", "annotations", "k8s.io/initial-events-end")
                .as_string(),
            "true");
}

TEST_F(ReadRules, Rule36LeavingASelectionIsADeletionAndEnteringACreation) {
  create(kConfigMaps, R"({"metadata":{"name":"a","labels":{"x":"y"}}})");
  const auto opened = watch(
      kConfigMaps, "labelSelector=x=y&resourceVersion=" + std::to_string(store_.revision().value));
  ASSERT_TRUE(opened.has_value());

  patch(std::string{kConfigMaps} + "/a", R"({"metadata":{"labels":{"x":"z"}}})");
  patch(std::string{kConfigMaps} + "/a", R"({"metadata":{"labels":{"x":"y"}}})");

  const auto events = told(*opened);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].type, WatchEventType::Deleted);
  EXPECT_EQ(events[0].object.get("metadata", "labels", "x").as_string(), "y");
  EXPECT_EQ(events[1].type, WatchEventType::Added);
}

TEST_F(ReadRules, Rule37ARelistShowsARecreatedObjectAsOneWithAnotherUid) {
  const auto first = create(kConfigMaps, R"({"metadata":{"name":"a"}})");
  remove(std::string{kConfigMaps} + "/a");
  create(kConfigMaps, R"({"metadata":{"name":"a"}})");

  const auto listed = list(kConfigMaps);

  ASSERT_EQ(listed.list->items.size(), 1U);
  EXPECT_NE(listed.list->items[0]->body.get("metadata", "uid").as_string(), meta(first, "uid"));
}

TEST_F(ReadRules, Rule15And34DryRunsChangeNothing) {
  const auto before = store_.revision();

  const auto tried = create(kConfigMaps, R"({"metadata":{"name":"a"}})", "dryRun=All");

  EXPECT_EQ(tried.code, 201);
  EXPECT_EQ(meta(tried, "resourceVersion"), "null");
  EXPECT_EQ(meta(tried, "uid").size(), 36U);
  EXPECT_EQ(store_.revision(), before);
}

TEST_F(ReadRules, EventsAreReadFromTheStoreWhichAsksNobodyToWait) {
  constexpr auto kEvents = "/api/v1/namespaces/ns/events";

  const auto bad = run(request(Verb::Get, "/api/v1/namespaces/ns/events/e", "resourceVersion=-1"));
  const auto cached_bad =
      run(request(Verb::Get, "/api/v1/namespaces/ns/configmaps/e", "resourceVersion=-1"));
  const auto future = list(kEvents, "resourceVersion=99999999");
  const auto cached_future = list(kConfigMaps, "resourceVersion=99999999");

  EXPECT_EQ(bad.code, 400);
  EXPECT_TRUE(message(bad).starts_with("invalid resource version: resourceVersion: Invalid"));
  EXPECT_EQ(cached_bad.code, 500);
  EXPECT_TRUE(future.body.get("details", "retryAfterSeconds").is_null());
  EXPECT_EQ(cached_future.body.get("details", "retryAfterSeconds").as_int(), 1);
}

TEST_F(ReadRules, NothingIsExportedAnyMore) {
  ASSERT_EQ(create(kConfigMaps, R"({"metadata":{"name":"a"}})").code, 201);
  const auto read = [&](std::string_view name, std::string_view query) {
    return run(request(Verb::Get, std::string{kConfigMaps} + "/" + std::string{name}, query));
  };

  const auto refused = read("a", "export=true");

  EXPECT_EQ(refused.code, 400);
  EXPECT_EQ(message(refused),
            "the export parameter, deprecated since v1.14, is no longer supported");
  EXPECT_EQ(read("none", "export=").code, 400);
  EXPECT_EQ(read("a", "export=FALSE").code, 200);
  EXPECT_EQ(list(kConfigMaps, "export=1").code, 200);
}

TEST_F(ReadRules, EachKindWordsItsRefusalOfAFieldSelector) {
  const auto refusal = [&](std::string_view path) {
    return std::string{message(list(path, "fieldSelector=spec.foo=1"))};
  };

  EXPECT_EQ(refusal("/apis/batch/v1/namespaces/ns/jobs"),
            "field label \"spec.foo\" not supported for Job");
  EXPECT_EQ(refusal("/apis/resource.k8s.io/v1/resourceslices"),
            "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: spec.foo");
  EXPECT_EQ(refusal("/api/v1/namespaces/ns/pods"), "field label not supported: spec.foo");
  EXPECT_EQ(refusal("/apis/batch/v1/namespaces/ns/cronjobs"),
            "\"spec.foo\" is not a known field selector: only \"metadata.name\", "
            "\"metadata.namespace\"");
}

TEST_F(ReadRules, ALimitAsksForAnExactVersionButNotOfOneName) {
  make(1);
  const auto then = store_.revision();
  create(kConfigMaps, conf(R"({"a":"1"})"));
  const auto version = "limit=1&resourceVersion=" + std::to_string(then.value);

  const auto by_name = list(kConfigMaps, "fieldSelector=metadata.name=conf&" + version);
  const auto all = list(kConfigMaps, version);

  EXPECT_EQ(names(by_name), std::vector<std::string>{"conf"});
  EXPECT_EQ(names(all), std::vector<std::string>{"c0"});
}

TEST_F(ReadRules, WhoReadsPastTheCacheIsNotToldToWaitForIt) {
  const std::string future = "resourceVersion=999999&resourceVersionMatch=Exact";

  const auto by_name = list(kConfigMaps, "fieldSelector=metadata.name=conf&" + future);
  const auto all = list(kConfigMaps, future);

  EXPECT_FALSE(by_name.body.get("details").contains("retryAfterSeconds"));
  EXPECT_EQ(all.body.get("details", "retryAfterSeconds").as_int(), 1);
}

TEST_F(ReadRules, EventsAreReadInPagesAtAnyVersion) {
  const std::string events = "/api/v1/namespaces/ns/events";
  for (const std::string name : {"a", "b"}) {
    create(events,
           R"({"metadata":{"name":")" + name + R"("},"involvedObject":{"namespace":"ns"}})");
  }

  const auto page = list(events, "limit=1&resourceVersion=0");

  EXPECT_EQ(names(page), std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace fixpoint::apiserver
