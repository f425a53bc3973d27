// SPDX-License-Identifier: Apache-2.0
//
// One life of a node, from its creation to its end, told again with a fault at each of its effects:
// the call fails, its answer is lost, the operator dies right after it. Whatever it was, the
// cluster ends as it does without: the same objects while the node runs, nothing when it is gone.
//
// A read has no effect, so for it failing is all there is; dying at a read is dying after the write
// before it.
#include "base/thoroughness_for_tests.h"
#include "operators/stellar/stellar_fixture.h"
#include "runtime/test_replies.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace fixpoint::operators::stellar {
namespace {

using runtime::Fault;

constexpr std::string_view kRpcSpec = R"({"nodeType":"SorobanRpc","network":"testnet",
  "version":"22.1.0","sorobanConfig":{"stellarCoreUrl":"http://core:11626"}})";
constexpr std::string_view kEverythingSpec = R"({"nodeType":"Horizon","network":"testnet",
  "version":"22.1.0","alerting":true,"networkPolicy":{},
  "autoscaling":{"minReplicas":2,"maxReplicas":4,"targetCpuUtilizationPercentage":70},
  "ingress":{"hosts":[{"host":"h.example.com","paths":[{"path":"/"}]}]},
  "horizonConfig":{"databaseSecretRef":"seed","stellarCoreUrl":"http://core:11626"},
  "serviceMesh":{"istio":{}}})";

// Passes that any one fault may cost beyond the golden run's.
constexpr int kPassesMax = 30;

class Life : public StellarFixture {
 public:
  struct Trouble {
    std::size_t at = SIZE_MAX;  // which effect
    Fault fault = Fault::None;
  };
  Life(std::string_view spec, Trouble trouble) : spec_(spec), trouble_(trouble) {}
  void TestBody() override {}

  // Ends early, and says so, when a step of it does not come about.
  void tell() {
    if (spec_.find("serviceMesh") != std::string_view::npos) install_mesh();
    make("alice", spec_);
    settle_through();
    start_pods();
    settle_through();
    alive_ = whole_picture();
    EXPECT_EQ(phase(), "Running") << told("Ready");
    EXPECT_EQ(writes_at_rest(), 0U);

    delete_node();
    for (int pass = 0; pass < kPassesMax && !node().is_null(); ++pass) {
      release_claim("alice");
      (void)pass_through();
    }
    EXPECT_TRUE(node().is_null()) << told("Ready");
    EXPECT_THAT(owned_names(), testing::IsEmpty());
  }
  const std::string& alive() const { return alive_; }
  // Of each effect in order: whether it is a write.
  const std::vector<bool>& effects() const { return effects_; }

 private:
  // A pass with the trouble, if it falls into it; nothing when the operator died.
  std::optional<runtime::PassEnd> pass_through() {
    world_.sync();
    auto pass = start("alice");
    while (!pass.end()) {
      for (const auto& effect : pass.take_effects()) {
        const bool writes = runtime::is_write(effect);
        const bool now = effects_.size() == trouble_.at;
        effects_.push_back(writes);
        if (!now || trouble_.fault == Fault::None) {
          pass.answer(effect.id, carry_out(effect), world_, world_.clock.wall());
          continue;
        }
        if (trouble_.fault != Fault::Before) std::ignore = carry_out(effect);
        if (trouble_.fault == Fault::CrashAfter) {
          memory_ = {};
          return std::nullopt;
        }
        pass.answer(effect.id, failure_of(effect), world_, world_.clock.wall());
      }
    }
    auto end = pass.take_end();
    memory_ = end.memory;
    // Backoffs of seconds, looks of a minute: time goes on between passes.
    world_.clock.advance(end.requeue_after.value_or(std::chrono::seconds(5)));
    return end;
  }
  runtime::EffectReply failure_of(const runtime::Effect& effect) const {
    const auto error = trouble_.fault == Fault::Before
                           ? runtime::refused(500, "InternalError", "not now")
                           : runtime::lost();
    if (std::holds_alternative<runtime::ApiEffect>(effect.what)) {
      return client::Reply{std::unexpected(error)};
    }
    if (std::holds_alternative<runtime::ListEffect>(effect.what)) {
      return client::PageReply{std::unexpected(error)};
    }
    if (std::holds_alternative<runtime::ResolveEffect>(effect.what)) {
      return std::expected<client::Resource, client::CallError>{std::unexpected(error)};
    }
    return Result<json::Value>{fail(ErrorKind::Unavailable, "no answer")};
  }
  void settle_through() {
    for (int pass = 0; pass < kPassesMax; ++pass) {
      const auto end = pass_through();
      if (end && end->writes == 0 && !end->backoff && end->requeue_after != Duration::zero()) {
        return;
      }
    }
    ADD_FAILURE() << "does not settle: " << told("Ready");
  }
  std::size_t writes_at_rest() {
    world_.sync();
    return run("alice").writes;
  }
  // Every object whole, without what tells one run from another: who it is, when, and addresses.
  std::string whole_picture() {
    std::string text = shown(node());
    for (const auto* kind : child_kinds()) {
      if (!world_.contents.contains(kind->gvk())) continue;
      for (const auto& object : all(*kind)) text += "\n" + shown(object);
    }
    return text;
  }
  static std::string shown(const json::Value& object) {
    json::Draft draft(object);
    forget(draft);
    const auto frozen = draft.freeze();
    return json::to_text(frozen);
  }
  static void forget(json::Draft& draft) {
    if (draft.is_object()) {
      for (const std::string_view key :
           {"uid", "resourceVersion", "creationTimestamp", "lastTransitionTime", "managedFields",
            "clusterIP", "clusterIPs", "ledgerUpdatedAt"}) {
        draft.erase(key);
      }
      for (auto& [key, value] : draft.members()) forget(value);
    } else if (draft.is_array()) {
      for (auto& element : draft.elements()) forget(element);
    }
  }

  std::string_view spec_;
  Trouble trouble_;
  std::vector<bool> effects_;
  std::string alive_;
};

void sweep(std::string_view spec) {
  Life golden(spec, {});
  golden.tell();
  ASSERT_GT(golden.effects().size(), 30U);
  std::size_t cases = 0;
  for (std::size_t at = 0; at < golden.effects().size(); ++at) {
    for (const Fault fault : {Fault::Before, Fault::LostAfter, Fault::CrashAfter}) {
      if (fault != Fault::Before && !golden.effects()[at]) continue;
      if (cases++ % kCasesStride != 0) continue;
      SCOPED_TRACE(fmt::format("effect {} of {}: {}", at, golden.effects().size(),
                               fault == Fault::Before      ? "fails"
                               : fault == Fault::LostAfter ? "is done, its answer is lost"
                                                           : "is done, and the operator dies"));
      Life life(spec, {.at = at, .fault = fault});
      life.tell();
      EXPECT_EQ(life.alive(), golden.alive());
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(StellarSweep, AValidatorEndsTheSameWhicheverEffectGoesWrong) {
  sweep(kValidatorSpec);
}
TEST(StellarSweep, AHorizonEndsTheSameWhicheverEffectGoesWrong) {
  sweep(kHorizonSpec);
}
TEST(StellarSweep, AnRpcServerEndsTheSameWhicheverEffectGoesWrong) {
  sweep(kRpcSpec);
}
TEST(StellarSweep, AValidatorInAMeshEndsTheSameWhicheverEffectGoesWrong) {
  sweep(kIstioSpec);
}
TEST(StellarSweep, ANodeWithEverythingEndsTheSameWhicheverEffectGoesWrong) {
  sweep(kEverythingSpec);
}

}  // namespace
}  // namespace fixpoint::operators::stellar
