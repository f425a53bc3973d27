// SPDX-License-Identifier: Apache-2.0
#include "verify/world/twisted.h"

#include <utility>

namespace fixpoint::verify::world {
namespace {

// The author's facts, and the object that they are about.
struct Seen {
  runtime::Facts facts;
  json::Value primary;
};

const Seen& seen_in(const runtime::Facts& facts) {
  return *static_cast<const Seen*>(facts.get());
}

class Twisted final : public runtime::Operator {
 public:
  Twisted(std::shared_ptr<const runtime::Operator> plain, Twist twist)
      : plain_(std::move(plain)), twist_(std::move(twist)), declaration_(plain_->declaration()) {
    if (twist_.declaration) twist_.declaration(declaration_);
  }

  const runtime::Declaration& declaration() const override { return declaration_; }

  kube::FieldErrors check(json::View object) const override {
    auto errors = plain_->check(object);
    if (twist_.check) twist_.check(errors);
    return errors;
  }
  Checked inspect(json::View object) const override {
    auto checked = plain_->inspect(object);
    if (twist_.check) twist_.check(checked.errors);
    return checked;
  }
  runtime::Conclusion reject(json::View object, const kube::FieldErrors& errors) const override {
    return plain_->reject(object, errors);
  }
  Result<runtime::Facts> observe(const runtime::Reader& reader, runtime::Probes& probes,
                                 const kube::Key& key) const override {
    FP_TRY(facts, plain_->observe(reader, probes, key));
    return std::make_shared<const Seen>(Seen{facts, json::Value(reader.primary())});
  }
  runtime::Plan decide(const runtime::Facts& facts, Instant now) const override {
    auto plan = plain_->decide(seen_in(facts).facts, now);
    if (twist_.plan) twist_.plan(plan, seen_in(facts).primary);
    return plan;
  }
  runtime::Plan cleanup(const runtime::Facts& facts, Instant now) const override {
    auto plan = plain_->cleanup(seen_in(facts).facts, now);
    if (twist_.cleanup) twist_.cleanup(plan, seen_in(facts).primary);
    return plan;
  }
  runtime::Conclusion conclude(const runtime::Facts& facts,
                               const runtime::Outcomes& outcomes) const override {
    auto believed = outcomes;
    if (twist_.outcomes) twist_.outcomes(believed);
    auto conclusion = plain_->conclude(seen_in(facts).facts, believed);
    if (twist_.conclusion) twist_.conclusion(conclusion, seen_in(facts).primary);
    return conclusion;
  }
  runtime::Samples samples(const runtime::Facts& facts) const override {
    return plain_->samples(seen_in(facts).facts);
  }

 private:
  std::shared_ptr<const runtime::Operator> plain_;
  Twist twist_;
  runtime::Declaration declaration_;
};

}  // namespace

std::shared_ptr<const runtime::Operator> twisted(std::shared_ptr<const runtime::Operator> plain,
                                                 Twist twist) {
  return std::make_shared<const Twisted>(std::move(plain), std::move(twist));
}

}  // namespace fixpoint::verify::world
