// SPDX-License-Identifier: Apache-2.0
#include "verify/world/remembering.h"

#include "base/hash.h"
#include "runtime/reader.h"
#include "verify/world/digest.h"
#include "verify/world/recall.h"

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace fixpoint::verify::world {
namespace {

// A plan of a dozen objects is a few kilobytes, and states share the objects.
constexpr std::size_t kPlaces = std::size_t{1} << 13U;

std::atomic<std::uint64_t> operators_made{0};
thread_local bool is_afresh = false;

// Words of a question, whose hash tells everything about it.
class Question {
 public:
  void number(std::uint64_t value) { words_.push_back(value); }
  void hash(const Hash128& hash) {
    words_.push_back(hash.high);
    words_.push_back(hash.low);
  }
  void text(std::string_view text) {
    words_.push_back(text.size());
    words_.push_back(hash64(text));
  }
  void value(json::View value) { hash(digest_of(value).exact()); }
  Hash128 key() const {
    return hash128(
        {reinterpret_cast<const char*>(words_.data()), words_.size() * sizeof(words_[0])});
  }

 private:
  std::vector<std::uint64_t> words_;
};

// What the plain operator made of it, and by what it is known.
struct Known {
  runtime::Facts plain;
  Hash128 key;
};

const Known& known_in(const runtime::Facts& facts) {
  return *static_cast<const Known*>(facts.get());
}

// Notes all that is told. What is asked for need not be noted: it follows from what was told
// before.
class NotingReader final : public runtime::Reader, public runtime::Probes {
 public:
  NotingReader(const runtime::Reader& reader, runtime::Probes& probes, Question& told)
      : reader_(reader), probes_(probes), told_(told) {}

  json::View primary() const override { return noted(reader_.primary()); }
  runtime::Facts decoded() const override {
    const auto decoded = reader_.decoded();
    told_.number(decoded ? 1 : 0);
    if (!decoded) return nullptr;
    told_.hash(known_in(decoded).key);
    return known_in(decoded).plain;
  }
  json::View get(const kube::GroupVersionKind& kind, const kube::Key& key) const override {
    return noted(reader_.get(kind, key));
  }
  std::vector<json::View> owned(const kube::GroupVersionKind& kind) const override {
    return noted(reader_.owned(kind));
  }
  std::vector<json::View> list(const kube::GroupVersionKind& kind,
                               std::string_view ns) const override {
    return noted(reader_.list(kind, ns));
  }
  bool serves(const kube::GroupVersionKind& kind) const override {
    const bool serves = reader_.serves(kind);
    told_.number(serves ? 1 : 0);
    return serves;
  }
  std::vector<json::View> indexed(const kube::GroupVersionKind& kind, std::string_view index,
                                  std::string_view value) const override {
    return noted(reader_.indexed(kind, index, value));
  }
  Result<json::Value> live(const runtime::ObjectRef& object) const override {
    return noted(reader_.live(object));
  }
  Result<json::Value> ask(const runtime::Probe& probe) override {
    return noted(probes_.ask(probe));
  }

 private:
  json::View noted(json::View told) const {
    told_.value(told);
    return told;
  }
  std::vector<json::View> noted(std::vector<json::View> told) const {
    told_.number(told.size());
    for (const json::View one : told) told_.value(one);
    return told;
  }
  Result<json::Value> noted(Result<json::Value> told) const {
    told_.number(told.has_value() ? 1 : 0);
    if (told) {
      told_.value(*told);
    } else {
      told_.number(static_cast<std::uint64_t>(told.error().kind));
      told_.text(told.error().message);
    }
    return told;
  }

  const runtime::Reader& reader_;
  runtime::Probes& probes_;
  Question& told_;
};

template <class Answer, class Ask>
Answer answer_once(const Question& question, Ask ask) {
  if (is_afresh) return ask();
  thread_local Recall<Answer> known{kPlaces};
  const Hash128 key = question.key();
  if (const Answer* answer = known.find(key)) return *answer;
  Answer answer = ask();
  known.put(key, answer);
  return answer;
}

class Remembering final : public runtime::Operator {
 public:
  explicit Remembering(const runtime::Operator& plain) : plain_(plain), serial_(++operators_made) {}

  const runtime::Declaration& declaration() const override { return plain_.declaration(); }

  kube::FieldErrors check(json::View object) const override { return inspect(object).errors; }
  Checked inspect(json::View object) const override {
    const auto question = about("inspect", object);
    return answer_once<Checked>(question, [&] {
      auto checked = plain_.inspect(object);
      if (checked.decoded) {
        checked.decoded = std::make_shared<const Known>(Known{checked.decoded, question.key()});
      }
      return checked;
    });
  }
  runtime::Conclusion reject(json::View object, const kube::FieldErrors& errors) const override {
    return plain_.reject(object, errors);
  }
  Result<runtime::Facts> observe(const runtime::Reader& reader, runtime::Probes& probes,
                                 const kube::Key& key) const override {
    auto question = about("observe", {});
    question.text(key.ns);
    question.text(key.name);
    NotingReader noting{reader, probes, question};
    FP_TRY(facts, plain_.observe(noting, noting, key));
    // Of facts that are the same one is kept, and what follows from them is shared.
    return answer_once<runtime::Facts>(question, [&] {
      return std::make_shared<const Known>(Known{std::move(facts), question.key()});
    });
  }
  runtime::Plan decide(const runtime::Facts& facts, Instant now) const override {
    return answer_once<runtime::Plan>(about("decide", facts, now),
                                      [&] { return plain_.decide(known_in(facts).plain, now); });
  }
  runtime::Plan cleanup(const runtime::Facts& facts, Instant now) const override {
    return answer_once<runtime::Plan>(about("cleanup", facts, now),
                                      [&] { return plain_.cleanup(known_in(facts).plain, now); });
  }
  runtime::Conclusion conclude(const runtime::Facts& facts,
                               const runtime::Outcomes& outcomes) const override {
    auto question = about("conclude", facts, {});
    for (const auto& outcome : outcomes.steps) {
      question.text(outcome.branch);
      question.number(outcome.step);
      question.text(outcome.what);
      question.number(outcome.object ? 1 : 0);
      if (outcome.object) {
        question.text(outcome.object->kind.group);
        question.text(outcome.object->kind.version);
        question.text(outcome.object->kind.kind);
        question.text(outcome.object->key.ns);
        question.text(outcome.object->key.name);
      }
      question.number(static_cast<std::uint64_t>(outcome.state));
      question.number(static_cast<std::uint64_t>(outcome.error_class));
      question.text(outcome.reason);
      question.text(outcome.message);
      question.value(outcome.result);
    }
    return answer_once<runtime::Conclusion>(
        question, [&] { return plain_.conclude(known_in(facts).plain, outcomes); });
  }
  runtime::Samples samples(const runtime::Facts& facts) const override {
    return plain_.samples(known_in(facts).plain);
  }

 private:
  Question about(std::string_view what, json::View object) const {
    Question question;
    question.text(what);
    question.number(serial_);
    question.value(object);
    return question;
  }
  Question about(std::string_view what, const runtime::Facts& facts, Instant now) const {
    auto question = about(what, json::View{});
    question.hash(known_in(facts).key);
    question.number(static_cast<std::uint64_t>(now.time_since_epoch().count()));
    return question;
  }

  const runtime::Operator& plain_;
  std::uint64_t serial_;  // among all of the program
};

}  // namespace

std::unique_ptr<const runtime::Operator> remembering(const runtime::Operator& plain) {
  return std::make_unique<const Remembering>(plain);
}

Afresh::Afresh(bool on) : before_(std::exchange(is_afresh, is_afresh || on)) {}

Afresh::~Afresh() {
  is_afresh = before_;
}

}  // namespace fixpoint::verify::world
