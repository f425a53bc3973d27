// SPDX-License-Identifier: Apache-2.0
//
// The options of lists, watches and deletions, good and bad, in the words of a real server.
#include "apiserver/api_fixture.h"
#include "apiserver/body/media_type.h"
#include "base/base64.h"

namespace fixpoint::apiserver {
namespace {

struct Refusal {
  std::string query;
  int code;
  std::string message;
};

class Options : public ApiFixture {
 protected:
  Response remove_with(std::string_view path, std::string_view query, std::string_view body = {},
                       std::string_view type = {}) {
    auto call = request(Verb::Delete, path, query);
    call.body = body;
    call.content_type = type;
    return run(call);
  }
  void make(std::string_view name, std::string_view rest = {}) {
    create(kConfigMaps,
           R"({"metadata":{"name":")" + std::string{name} + "\"" + std::string{rest} + "}}");
  }
  void make_pod(std::string_view name, std::string_view node) {
    const std::string spec =
        node.empty() ? std::string{} : R"("nodeName":")" + std::string{node} + R"(",)";
    create("/api/v1/namespaces/ns/serviceaccounts", R"({"metadata":{"name":"default"}})");
    const auto made =
        create(kPods, R"({"metadata":{"name":")" + std::string{name} + R"("},"spec":{)" + spec +
                          R"("containers":[{"name":"c","image":"i"}]}})");
    ASSERT_EQ(made.code, 201) << message(made);
  }
  static std::string token(std::string_view json) { return base64_encode(json, Base64::RawUrl); }
};

TEST_F(Options, OfAListAreRefusedInTheServersWords) {
  const std::string options = "ListOptions.meta.k8s.io \"\" is invalid: ";
  const std::string bad_token = "invalid continue token: continue key is not valid";
  const std::vector<Refusal> refusals{
      {"limit=",                                                                              400, R"(strconv.ParseInt: parsing "": invalid syntax)"   },
      {"limit=99999999999999999999",                                                          400,
       R"(strconv.ParseInt: parsing "99999999999999999999": value out of range)"                                                                       },
      {"timeoutSeconds=1.5",                                                                  400, R"(strconv.ParseInt: parsing "1.5": invalid syntax)"},
      {"sendInitialEvents=true",                                                              422,
       options + "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"                                                               },
      {"sendInitialEvents=0&resourceVersionMatch=bogus",                                      422,
       options + "[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless "
                 "resourceVersion is provided, resourceVersionMatch: Unsupported value: \"bogus\": "
                 "supported values: \"Exact\", \"NotOlderThan\", \"\", sendInitialEvents: "
                 "Forbidden: sendInitialEvents is forbidden for list]"                                                                                 },
      {"resourceVersion=18446744073709551616",                                                400,
       "invalid resource version: resourceVersion: Invalid value: \"18446744073709551616\": "
       "strconv.ParseUint: parsing \"18446744073709551616\": value out of range"                                                                       },
      {"resourceVersion=1&continue=" + token(R"({"v":"meta.k8s.io/v1","rv":1,"start":"a"})"), 400,
       "specifying resource version is not allowed when using continue"                                                                                },
      {"continue=" + token(R"({"v":"x","rv":1,"start":"a"})"),                                400,
       bad_token + ": server does not recognize this encoded version x"                                                                                },
      {"continue=" + token(R"({"v":"meta.k8s.io/v1","rv":"1","start":"a"})"),                 400,
       bad_token + ": json: cannot unmarshal string into Go struct field continueToken.rv of type "
                   "int64"                                                                                                                             },
      {"continue=" + token("[]"),                                                             400,
       bad_token + ": json: cannot unmarshal array into Go value of type storage.continueToken"                                                        },
      {"continue=" + token(R"({"v":"meta.k8s.io/v1","rv":-1,"start":"a/./b"})"),              400,
       bad_token + ": a/./b"                                                                                                                           },
      {"continue=" + token(R"({"v":"meta.k8s.io/v1","rv":-1,"start":"a/../b"})"),             400,
       bad_token + ": a/../b"                                                                                                                          },
  };
  for (const auto& [query, code, text] : refusals) {
    const auto answer = list(kConfigMaps, query);

    EXPECT_EQ(answer.code, code) << query;
    EXPECT_EQ(message(answer), text) << query;
  }
}

TEST_F(Options, OfAWatchAreRefusedInTheServersWords) {
  const std::string options = "ListOptions.meta.k8s.io \"\" is invalid: ";
  const std::string requires_match =
      "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
      "NotOlderThan";
  const std::vector<Refusal> refusals{
      {"sendInitialEvents=true",                            422, options + requires_match},
      {"sendInitialEvents=true&resourceVersionMatch=Exact", 422,
       options + "[" + requires_match +
           ", resourceVersionMatch: Unsupported value: \"Exact\": supported values: "
           "\"NotOlderThan\"]"                                                           },
      {"continue=abc",                                      422,
       options + "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue "
                 "is provided"                                                           },
  };
  for (const auto& [query, code, text] : refusals) {
    const auto answer = watch(kConfigMaps, query);

    ASSERT_FALSE(answer.has_value()) << query;
    EXPECT_EQ(answer.error().code, code) << query;
    EXPECT_EQ(answer.error().message, text) << query;
  }
}

TEST_F(Options, TheFirstOfARepeatedParameterCounts) {
  for (const auto* name : {"a", "b", "c"}) make(name);

  const auto listed = list(kConfigMaps, "limit=1&limit=2");

  EXPECT_EQ(listed.list->items.size(), 1U);
}

TEST_F(Options, AFullPageGoesOnWhileAnythingFollows) {
  make("a", R"(,"labels":{"x":"y"})");
  make("b");

  const auto full = list(kConfigMaps, "labelSelector=x&limit=1");
  const auto rest = list(kConfigMaps, "labelSelector=x&continue=" + full.list->continue_token);

  EXPECT_NE(full.list->continue_token, "");
  EXPECT_EQ(rest.list->items.size(), 0U);
  EXPECT_EQ(rest.list->continue_token, "");
}

TEST_F(Options, ATokenWithoutItsEndNamesTheFirstOfThePage) {
  for (const auto* name : {"a", "b", "c"}) make(name);

  const auto from_b =
      list(kConfigMaps, "continue=" + token(R"({"v":"meta.k8s.io/v1","rv":-1,"start":"b"})"));

  EXPECT_EQ(from_b.list->items.size(), 2U);
}

TEST_F(Options, AWatchOfTheFutureWaitsAndAStreamingListOfItEnds) {
  const auto waits = watch(kConfigMaps, "resourceVersion=99999999");
  const auto ended = watch(kConfigMaps,
                           "resourceVersion=99999999&sendInitialEvents=true&"
                           "resourceVersionMatch=NotOlderThan");

  ASSERT_TRUE(waits.has_value());
  EXPECT_EQ(waits->from.value, 99999999U);
  EXPECT_FALSE(waits->ends);
  ASSERT_TRUE(ended.has_value());
  EXPECT_TRUE(ended->ends);
  EXPECT_EQ(ended->initial[0].object.get("code").as_int(), 504);
}

TEST_F(Options, AWatchFromTheStartEndsItsListWithABookmarkForThoseWhoWantOne) {
  make("a");

  const auto opened = watch(kConfigMaps, "allowWatchBookmarks=true");

  ASSERT_TRUE(opened.has_value());
  ASSERT_EQ(opened->initial.size(), 2U);
  EXPECT_EQ(opened->initial[1].type, WatchEventType::Bookmark);
}

TEST_F(Options, OfADeletionAreRefusedInTheServersWords) {
  const std::string options = "DeleteOptions.meta.k8s.io \"\" is invalid: ";
  const std::string policies = R"(supported values: "Foreground", "Background", "Orphan", "nil")";
  make("conf");
  const std::vector<Refusal> refusals{
      {"gracePeriodSeconds=",                    400, R"(strconv.ParseInt: parsing "": invalid syntax)"},
      {"propagationPolicy=",                     422,
       options + "propagationPolicy: Unsupported value: \"\": " + policies                             },
      {"propagationPolicy=x&orphanDependents=0", 422,
       options +
           "[propagationPolicy: Invalid value: \"x\": orphanDependents and "
           "deletionPropagation cannot be both set, propagationPolicy: Unsupported value: "
           "\"x\": " +
           policies + "]"                                                                              },
      {"dryRun=All&dryRun=x",                    422,
       options + R"(dryRun: Unsupported value: ["All","x"]: supported values: "All")"                  },
  };
  for (const auto& [query, code, text] : refusals) {
    const auto answer = remove_with(kConf, query);

    EXPECT_EQ(answer.code, code) << query;
    EXPECT_EQ(message(answer), text) << query;
  }
  EXPECT_EQ(remove_with(kConf, "uid=x").code, 409);
  EXPECT_EQ(remove_with(kConf, "resourceVersion=1").code, 409);
  EXPECT_EQ(get(kConf).code, 200);
}

TEST_F(Options, ADeletionsBodyIsDecodedAsItsType) {
  make("conf");
  const std::vector<std::pair<std::string, std::string>> bodies{
      {R"({"propagationPolicy":5})",
       "json: cannot unmarshal number into Go struct field DeleteOptions.propagationPolicy of type "
       "v1.DeletionPropagation"                                                                  },
      {R"({"dryRun":"All"})",
       "json: cannot unmarshal string into Go struct field DeleteOptions.dryRun of type []string"},
      {R"({"preconditions":{"uid":5}})",
       "json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type "
       "types.UID"                                                                               },
      {R"({"apiVersion":"a/b/c"})",      "unexpected GroupVersion string: a/b/c"                 },
      {R"({"apiVersion":5})",
       "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct "
       "field .apiVersion of type string"                                                        },
  };
  for (const auto& [body, text] : bodies) {
    const auto answer = remove_with(kConf, "", body);

    EXPECT_EQ(answer.code, 500) << body;
    EXPECT_EQ(message(answer), text) << body;
  }
  EXPECT_EQ(remove_with(kConf, "", "{}", "text/plain").code, 415);
}

TEST_F(Options, ACreateIsAskedForItsMediaTypeBeforeItsOptionsAndAnUpdateAfter) {
  constexpr auto kMaps = "/api/v1/namespaces/ns/configmaps";
  auto made = request(Verb::Create, kMaps, "dryRun=Bogus");
  made.content_type = "text/plain";
  auto changed = request(Verb::Update, std::string{kMaps} + "/a", "dryRun=Bogus");
  changed.content_type = "text/plain";

  EXPECT_EQ(run(made).code, 415);
  EXPECT_EQ(run(changed).code, 422);
}

TEST_F(Options, ACascadeThatIsNotDoneIsAcceptedOnly) {
  make("conf", R"(,"finalizers":["example.com/hold"])");

  EXPECT_EQ(remove_with(kConf, "orphanDependents=false").code, 202);
}

TEST_F(Options, FinalizersThatStayKeepTheirOrder) {
  make("conf", R"(,"finalizers":["foregroundDeletion","example.com/hold"])");

  EXPECT_EQ(meta(remove_with(kConf, ""), "finalizers"),
            R"(["foregroundDeletion","example.com/hold"])");
}

TEST_F(Options, APodIsStampedEvenWhenItGoesAtOnce) {
  make_pod("free", "");
  make_pod("bound", "n1");
  const auto before = store_.revision();

  const auto free = remove_with(std::string{kPods} + "/free", "");
  const auto events = store_.revision().value - before.value;
  remove_with(std::string{kPods} + "/bound", "");
  const auto bound = remove_with(std::string{kPods} + "/bound", "gracePeriodSeconds=0");

  EXPECT_EQ(events, 2U);
  EXPECT_EQ(meta(free, "generation"), "2");
  EXPECT_EQ(meta(free, "deletionGracePeriodSeconds"), "0");
  EXPECT_EQ(meta(bound, "deletionGracePeriodSeconds"), "0");
  EXPECT_EQ(get(std::string{kPods} + "/bound").code, 404);
}

TEST_F(Options, AJobSaysThatItsPodsStay) {
  create("/apis/batch/v1/namespaces/ns/jobs",
         R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never",
             "containers":[{"name":"c","image":"i"}]}}}})");
  constexpr auto kJob = "/apis/batch/v1/namespaces/ns/jobs/j";

  const auto quiet = remove_with(kJob, "propagationPolicy=Orphan&dryRun=All");
  const auto warned = remove_with(kJob, "");

  EXPECT_TRUE(quiet.warnings.empty());
  EXPECT_EQ(warned.warnings.size(), 1U);
}

TEST_F(Options, ADefinitionThatGoesKeepsItsGenerationAndTakesNoInstances) {
  create(kDefinitions, kBoatDefinition);
  const std::string definition = std::string{kDefinitions} + "/boats.sea.example.com";
  const auto made = get(definition);

  const auto going = remove_with(definition, "");
  const auto again = remove_with(definition, "");
  const auto refused = create(kBoats, R"({"apiVersion":"sea.example.com/v1","kind":"Boat",
                                          "metadata":{"name":"one"}})");

  const json::View owner = made.body.get("metadata", "managedFields")[0];
  EXPECT_EQ(owner.get("manager").as_string(), "kube-apiserver");
  EXPECT_EQ(owner.get("subresource").as_string(), "status");
  EXPECT_EQ(meta(going, "generation"), "1");
  EXPECT_EQ(meta(going, "deletionGracePeriodSeconds"), "null");
  EXPECT_EQ(meta(again, "deletionGracePeriodSeconds"), "0");
  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(message(refused),
            "boats.sea.example.com \"one\" is forbidden: create not allowed while custom resource "
            "definition is terminating");
}

TEST_F(Options, WatchesOfTwoFormsOfADefinitionShareNothing) {
  create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", kBoatDefinition);
  const auto before = watch(kBoats);
  patch("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/boats.sea.example.com",
        R"([{"op":"add","path":"/spec/versions/0/additionalPrinterColumns","value":
             [{"name":"Crew","type":"integer","jsonPath":".spec.crew"}]}])",
        "application/json-patch+json");

  const auto after = watch(kBoats);

  EXPECT_TRUE(before->selection == before->selection);
  EXPECT_FALSE(before->selection == after->selection);
}

TEST_F(Options, ADeletionsBodyOfAnotherKindIsOfTheVersionOfOptions) {
  make("conf", "");

  EXPECT_EQ(message(remove(kConf, R"({"kind":"Nope"})")),
            "no kind \"Nope\" is registered for version \"meta.k8s.io/v1\" in scheme "
            "\"pkg/runtime/scheme.go:110\"");
}

TEST(MediaTypes, WithParametersThatCannotBeReadAreOther) {
  EXPECT_EQ(media_type("Application/JSON; charset=utf-8"), MediaType::Json);
  EXPECT_EQ(media_type("application/json;"), MediaType::Json);
  EXPECT_EQ(media_type("application/yaml; a=\"b;c\"; d=e"), MediaType::Yaml);
  for (const auto* text : {"application/json; charset", "application/json;;",
                           "application/json; charset=\"utf-8", "application/json; a=b c"}) {
    EXPECT_EQ(media_type(text), MediaType::Other) << text;
  }
  // Of a patch only what comes before the parameters is looked at.
  EXPECT_EQ(media_type("application/merge-patch+json; charset"), MediaType::MergePatch);
}

}  // namespace
}  // namespace fixpoint::apiserver
