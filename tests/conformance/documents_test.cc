// SPDX-License-Identifier: Apache-2.0
//
// What the servers say of themselves is alike: discovery, OpenAPI, version and issuer, document by
// document, every value of every document but those of kExcluded.
#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/patch/diff.h"
#include "json/print.h"
#include "tests/conformance/campaign.h"
#include "tests/conformance/custom_kinds.h"
#include "tests/conformance/real_cluster.h"

#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace fixpoint::conformance {
namespace {

using json::Draft;
using json::View;

// What is not compared. Places are JSON pointers: `*` stands for one step, a first `**` for any.
// A value that is left out must still be there, and of the same type.
struct Excluded {
  std::string_view document;  // what its path begins with
  std::string_view place;
  std::string_view why;
};
constexpr std::array<Excluded, 12> kExcluded{
    {
     {"/api", "/serverAddressByClientCIDRs/*/serverAddress", "every server has its own address"},
     {"/openapi/v3", "/paths/*/serverRelativeURL",
         "a hash of our own words stands behind the path"},
     {"/version", "/gitVersion", "says which program it is"},
     {"/version", "/gitCommit", "says which program it is"},
     {"/version", "/goVersion", "ours is not made with Go"},
     {"/version", "/compiler", "ours is not made with Go"},
     {"/version", "/buildDate", "says when the program was made"},
     {"/version", "/platform", "says where it runs"},
     {"/.well-known", "/jwks_uri", "every server has its own address"},
     {"/.well-known", "/id_token_signing_alg_values_supported/*",
         "our keys are of another kind"},
     {"/openid", "/keys", "every server has its own keys"},
     {"/openapi", "**/description", "of built-in kinds and calls: they are our own words"},
     }
};
// Also left out: the order of a group's custom resources, which is a Go map's; groups of custom
// resources that other tests left on a server that they share, and everything that is no document
// (protobuf and CBOR forms, which our server does not have).

constexpr std::size_t kDifferencesShown = 10;  // differences of a document
constexpr int kRounds = 20;                    // of asking again, all in all
constexpr Duration kPause = std::chrono::seconds(1);

using Steps = std::vector<std::string>;

bool matches(std::string_view pattern, const Steps& steps) {
  std::vector<std::string_view> wanted;
  while (!pattern.empty()) {
    const auto end = std::min(pattern.find('/'), pattern.size());
    wanted.push_back(pattern.substr(0, end));
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  const bool anywhere = wanted.front() == "**";
  wanted.erase(wanted.begin());  // that, or the nothing before the first slash
  if (anywhere ? wanted.size() > steps.size() : wanted.size() != steps.size()) return false;
  const auto from = steps.end() - static_cast<std::ptrdiff_t>(wanted.size());
  return std::equal(wanted.begin(), wanted.end(), from,
                    [](std::string_view a, std::string_view b) { return a == "*" || a == b; });
}

// Words in the schema of a custom resource are its author's; only what every object has is ours.
bool of_an_author(const Steps& steps) {
  const auto schema = std::ranges::find_if(
      steps, [](const std::string& step) { return step.starts_with("com.example.conform."); });
  if (steps.end() - schema < 4) return false;
  const auto& member = *(schema + 2);
  const auto& below = steps[steps.size() - 2];
  const bool implied = below == "apiVersion" || below == "kind" || below == "metadata";
  return (member == "spec" || member == "status") && !implied;
}

// A name that has to do with another custom group than ours.
bool foreign(std::string_view name) {
  const bool custom =
      name.find("example.com") != name.npos || name.find("com.example.") != name.npos;
  return custom && name.find(kCustomGroup) == name.npos &&
         name.find("com.example.conform.") == name.npos;
}

std::string_view name_of(View element) {
  const auto plain = element.get("name").as_string();
  return plain.empty() ? element.get("metadata", "name").as_string() : plain;
}

// "gadgets" of gadgets/status, in either form of discovery.
std::string_view resource_of(View element) {
  const auto name = element.get("name").as_string(element.get("resource").as_string());
  return name.substr(0, name.find('/'));
}

// A document without what is not compared.
class Comparable {
 public:
  explicit Comparable(std::string_view document) : document_(document) {}

  Draft of(View value) {
    if (excluded()) return Draft{fmt::format("some {}", json::to_string(value.type()))};
    if (value.is_object()) return object(value);
    if (value.is_array()) return array(value);
    return Draft{value};
  }

 private:
  bool excluded() const {
    if (steps_.empty()) return false;
    const bool words = steps_.back() == "description";
    return std::ranges::any_of(kExcluded, [&](const Excluded& each) {
      return document_.starts_with(each.document) && matches(each.place, steps_) &&
             !(words && of_an_author(steps_));
    });
  }

  Draft object(View value) {
    auto made = Draft::object();
    for (const auto [key, member] : value.members()) {
      if (foreign(key)) continue;
      // Absent words are no difference either.
      const bool words = key == "description" && member.is_string();
      steps_.emplace_back(key);
      if (!words || !excluded()) made[key] = of(member);
      steps_.pop_back();
    }
    return made;
  }

  // A Go map's order among custom resources; subresources stay behind their resource.
  bool any_order(View value) const {
    if (steps_.empty() || steps_.back() != "resources") return false;
    return document_.find(kCustomGroup) != document_.npos ||
           value[0].get("responseKind", "group").as_string() == kCustomGroup;
  }

  Draft array(View value) {
    auto made = Draft::array();
    std::vector<View> elements(value.elements().begin(), value.elements().end());
    if (any_order(value)) std::ranges::stable_sort(elements, {}, resource_of);
    for (const View element : elements) {
      if (foreign(name_of(element))) continue;
      steps_.push_back(std::to_string(made.size()));
      made.push_back(of(element));
      steps_.pop_back();
    }
    return made;
  }

  std::string_view document_;
  Steps steps_;
};

struct Document {
  std::string path;
  std::string accept = "application/json";
};

Answer ask(Server& server, const Document& document, std::string_view known_tag = {}) {
  Call call;
  call.path = document.path;
  call.headers.set("accept", document.accept);
  if (!known_tag.empty()) call.headers.set("if-none-match", std::string{known_tag});
  return server.call(call);
}

std::string header(const Answer& answer, std::string_view name) {
  const auto* value = answer.headers.find(name);
  return value == nullptr ? std::string{} : *value;
}

json::Value comparable(const Document& document, const Answer& answer) {
  auto made = Draft::object();
  made["code"] = answer.code;
  made["content type"] = header(answer, "content-type");
  const auto body = json::parse(answer.body);
  made["body"] = body ? Comparable{document.path}.of(*body) : Draft{answer.body};
  return made.freeze();
}

std::string shown(const std::optional<json::Value>& value) {
  constexpr std::size_t kLongest = 160;
  return value ? json::to_text(*value).substr(0, kLongest) : "nothing";
}

// The differences of one document, as lines; nothing when there are none.
std::string document_differences(const Document& document, Server& real, Server& ours) {
  const auto theirs = comparable(document, ask(real, document));
  const auto mine = comparable(document, ask(ours, document));
  const auto changes = json::diff(theirs, mine);
  std::string text;
  for (const auto& change : changes) {
    if (&change - changes.data() == kDifferencesShown) break;
    text += fmt::format("  {}\n    real {}\n    ours {}\n", change.path, shown(change.before),
                        shown(change.after));
  }
  if (changes.empty()) return text;
  return fmt::format("{} ({}): {} places\n{}", document.path, document.accept, changes.size(),
                     text);
}

constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
constexpr std::string_view kAggregatedBeta =
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";

// All documents that the real server knows of.
std::vector<Document> documents_of(Server& real) {
  std::vector<Document> made{
      {"/version"},
      {"/openapi/v2"},
      {"/openapi/v3"},
      {"/api/v1"},
      {"/.well-known/openid-configuration"},
      {"/openid/v1/jwks", "*/*"},
      {"/openid/v1/jwks"},
      {"/apis/nothing"},
      {"/apis/apps/v0"}
  };
  for (const std::string path : {"/api", "/apis"}) {
    const std::string both = fmt::format("{},{}", kAggregatedBeta, "application/json");
    for (const std::string& accept :
         {std::string{"application/json"}, std::string{kAggregated}, std::string{kAggregatedBeta},
          both, std::string{"text/html"}}) {
      made.push_back({path, accept});
    }
  }
  made.push_back({"/apis/apps", "application/yaml"});
  made.push_back({"/version", "application/yaml"});
  if (const auto groups = json::parse(ask(real, {"/apis"}).body)) {
    for (const View group : groups->get("groups").elements()) {
      const auto name = group.get("name").as_string();
      if (foreign(name)) continue;
      made.push_back({fmt::format("/apis/{}", name)});
      for (const View version : group.get("versions").elements()) {
        made.push_back({fmt::format("/apis/{}", version.get("groupVersion").as_string())});
      }
    }
  }
  if (const auto index = json::parse(ask(real, {"/openapi/v3"}).body)) {
    for (const auto [path, entry] : index->get("paths").members()) {
      if (!foreign(path)) made.push_back({fmt::format("/openapi/v3/{}", path)});
    }
  }
  return made;
}

class DocumentsAreAlike : public testing::Test {
 protected:
  void SetUp() override {
    auto started = RealCluster::start("none");
    ASSERT_TRUE(started.has_value()) << started.error().message;
    cluster_ = *std::move(started);
    for (const auto& endpoint : {cluster_->endpoint(), local_.endpoint()}) {
      const auto ready = set_up(endpoint);
      ASSERT_TRUE(ready.has_value()) << ready.error().message;
    }
    real_ = make_http_server(cluster_->endpoint());
    ours_ = make_http_server(local_.endpoint());
    while (!published(*real_) && rounds_-- > 0) real_->wait(kPause);
    ASSERT_TRUE(published(*real_)) << "the real server does not publish its custom kinds";
  }

  // A real server publishes definitions a little later than it serves them.
  static bool published(Server& server) {
    const auto index = json::parse(ask(server, {"/openapi/v3"}).body);
    if (!index) return false;
    return std::ranges::all_of(std::array{"v1", "v1beta1", "v1alpha1"}, [&](const char* version) {
      return index->get("paths").contains(fmt::format("apis/{}/{}", kCustomGroup, version));
    });
  }

  int rounds_ = kRounds;

  const Local local_{Loops::OnlyDefinitions};
  std::unique_ptr<RealCluster> cluster_;
  std::unique_ptr<Server> real_;
  std::unique_ptr<Server> ours_;
};

TEST_F(DocumentsAreAlike, InEveryPlaceThatIsCompared) {
  const auto documents = documents_of(*real_);

  for (const auto& document : documents) {
    auto text = document_differences(document, *real_, *ours_);
    while (!text.empty() && rounds_-- > 0) {
      real_->wait(kPause);
      text = document_differences(document, *real_, *ours_);
    }
    EXPECT_EQ(text, "");
  }

  constexpr std::size_t kBuiltIn = 100;  // fewer: the real server was asked before it was ready
  EXPECT_GE(documents.size(), kBuiltIn);
  fmt::print("{} documents compared; left out:\n", documents.size());
  for (const auto& each : kExcluded) {
    fmt::print("  {} {}: {}\n", each.document, each.place, each.why);
  }
}

TEST_F(DocumentsAreAlike, AndNotSentAgainToWhoHasThem) {
  for (const Document& document : {
           Document{"/api", std::string{kAggregated}},
           Document{"/apis", std::string{kAggregated}},
           Document{"/openapi/v2"},
           Document{"/openapi/v3/api/v1"},
           Document{"/openapi/v3/apis/conform.example.com/v1"}
  }) {
    for (Server* server : {real_.get(), ours_.get()}) {
      Answer again;
      for (int round = 0; round < kRounds && again.code != 304; ++round) {
        const auto first = ask(*server, document);
        ASSERT_EQ(first.code, 200) << server->name() << " " << document.path;
        again = ask(*server, document, header(first, "etag"));
        if (again.code != 304) server->wait(kPause);
      }
      EXPECT_EQ(again.code, 304) << server->name() << " " << document.path;
      EXPECT_EQ(again.body, "") << server->name() << " " << document.path;
    }
  }
}

}  // namespace
}  // namespace fixpoint::conformance
