// SPDX-License-Identifier: Apache-2.0
//
// Server-side apply with up to three managers: each sends, again and again, a body made of some of
// the fields that a kind has, so that fields are taken, shared, given up and fought over; between
// them plain updates, patches and writes to status and scale by others.
#include "json/parsing/parse.h"
#include "json/print.h"
#include "tests/conformance/area.h"
#include "tests/conformance/areas/apply_subjects.h"
#include "tests/conformance/areas/story.h"
#include "tests/conformance/custom_kinds.h"

#include <fmt/format.h>

namespace fixpoint::conformance {
namespace {

json::Draft draft_of(std::string_view text) {
  const auto value = json::parse(text);
  FP_CHECK(value.has_value());
  return json::Draft{value->view()};
}

class ApplyStory {
 public:
  ApplyStory(Gen& gen, const ApplySubject& subject)
      : gen_(gen), subject_(subject), kind_(sort(subject.resource)) {}

  Sequence tell() {
    Sequence sequence;
    if (gen_.chance(35)) {
      auto first = create_whole();
      if (gen_.chance(60)) first = with(std::move(first), "fieldManager=" + manager());
      sequence.steps.push_back(std::move(first));
    }
    for (auto left = gen_.between(6, 13); left > 0; --left) sequence.steps.push_back(next());
    return sequence;
  }

 private:
  Step create_whole() {
    const auto whole = body(kind_, 2);
    return create(kind_, whole);
  }
  std::string manager() { return gen_.pick({"one", "two", "three"}); }

  json::Value body(const Sort& kind, int fragments) {
    json::Draft made = json::Draft::object();
    merge(made, subject_.fixed);
    for (auto i = 0; i < fragments; ++i) merge(made, gen_.pick(subject_.fragments));
    return finished(kind, std::move(made));
  }

  static json::Value finished(const Sort& kind, json::Draft made) {
    made["apiVersion"] = kind.group_version;
    made["kind"] = kind.kind;
    made.object_at("metadata")["name"] = "o";
    return made.freeze();
  }

  // Later fragments add to objects and replace everything else.
  static void merge(json::Draft& into, std::string_view text) {
    const auto fragment = json::parse(text);
    FP_CHECK(fragment.has_value());
    merge_view(into, *fragment);
  }
  static void merge_view(json::Draft& into, json::View from) {
    for (const auto [key, value] : from.members()) {
      auto* child = into.find(key);
      if (child != nullptr && child->is_object() && value.is_object()) {
        merge_view(*child, value);
      } else {
        into[key] = json::Draft{value};
      }
    }
  }

  Step good_apply() {
    const auto made = body(kind_, static_cast<int>(gen_.between(0, 3)));
    auto step = apply(kind_, "o", json_text(made), manager(), gen_.chance(35));
    if (gen_.chance(4)) step = with(std::move(step), "dryRun=All");
    return step;
  }

  Step bad_apply() {
    json::Draft made = json::Draft::object();
    merge(made, subject_.fixed);
    merge(made, gen_.pick(subject_.bad));
    return apply(kind_, "o", json_text(finished(kind_, std::move(made))), manager(),
                 gen_.chance(50));
  }

  // Things wrong with the request rather than with a field.
  Step odd_apply() {
    const auto made = json_text(body(kind_, 1));
    switch (gen_.between(0, 9)) {
      case 0: return apply(kind_, "o", made, "", gen_.chance(50));
      case 1:
        return with(apply(kind_, "o", made, "one"), "force=" + gen_.pick({"maybe", "false", ""}));
      case 2: return apply(kind_, "o", "[]", "one");
      case 3: return apply(kind_, "o", "{}", "one");
      case 4: {
        auto draft = draft_of(made);
        draft["metadata"]["name"] = "other";
        return apply(kind_, "o", json_text(draft.freeze()), "one");
      }
      case 5: {
        auto draft = draft_of(made);
        draft["kind"] = gen_.pick({"Other", "", "Scale"});
        return apply(kind_, "o", json_text(draft.freeze()), "one");
      }
      case 6: {
        auto draft = draft_of(made);
        draft["apiVersion"] = gen_.pick({"v2", "", "example.com/v1", "a/b/c"});
        return apply(kind_, "o", json_text(draft.freeze()), "one");
      }
      case 7: return with(apply(kind_, "o", made, std::string(129, 'm')), "");
      case 8: {
        auto draft = draft_of(made);
        draft["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000";
        return apply(kind_, gen_.pick({"o", "p"}), json_text(draft.freeze()), "one");
      }
      default: {
        auto draft = draft_of(made);
        draft["metadata"]["resourceVersion"] =
            gen_.pick({"<<rv " + item(kind_, "o") + ">>", "<<old " + item(kind_, "o") + ">>"});
        return apply(kind_, "o", json_text(draft.freeze()), manager(), true);
      }
    }
  }

  Step other_write() {
    const auto change = std::string{gen_.pick(subject_.changes)};
    auto step = gen_.chance(50) ? update(kind_, "o", change) : merge_patch(kind_, "o", change);
    return gen_.chance(60) ? with(std::move(step), "fieldManager=" + manager()) : step;
  }

  Step managed_fields_write() {
    const auto change = gen_.pick(
        {R"({"metadata":{"managedFields":[{}]}})", R"({"metadata":{"managedFields":[]}})",
         R"({"metadata":{"managedFields":null}})",
         R"({"metadata":{"managedFields":[{"manager":"x"}]}})",
         R"({"metadata":{"managedFields":[{"manager":"x","operation":"Odd"}]}})",
         R"({"metadata":{"managedFields":[{"manager":"x","operation":"Apply","apiVersion":")" +
             std::string{kind_.group_version} +
             R"(","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{"f:l":{}}}}}]}})",
         R"({"metadata":{"managedFields":[{"manager":"x","operation":"Update","apiVersion":"v1","fieldsType":"Odd"}]}})"});
    return gen_.chance(50) ? update(kind_, "o", change) : merge_patch(kind_, "o", change);
  }

  Step subresource_write() {
    if (subject_.scale && gen_.chance(40)) {
      const auto replicas = gen_.pick({"1", "2", "4"});
      if (gen_.chance(50)) {
        return on(
            with(merge_patch(kind_, "o", fmt::format(R"({{"spec":{{"replicas":{}}}}})", replicas)),
                 "fieldManager=" + manager()),
            "scale");
      }
      return on(apply(kind_, "o",
                      fmt::format(R"({{"apiVersion":"autoscaling/v1","kind":"Scale",)"
                                  R"("metadata":{{"name":"o"}},"spec":{{"replicas":{}}}}})",
                                  replicas),
                      manager(), gen_.chance(40)),
                "scale");
    }
    return status_write();
  }

  Step status_write() {
    if (!kind_.has_status) return other_write();
    const auto fields =
        kind_.resource == "crates"
            ? gen_.pick({R"({"note":"n"})", R"({"count":3})",
                         R"({"conditions":[{"type":"A","status":"True"}]})",
                         R"({"conditions":[{"type":"B"},{"type":"A"}],"note":"m"})"})
            : gen_.pick({R"({"conditions":[{"type":"A","status":"True"}]})",
                         R"({"conditions":[{"type":"B","status":"False"}]})", "{}"});
    const auto made = fmt::format(
        R"({{"apiVersion":"{}","kind":"{}","metadata":{{"name":"o"{}}},"status":{}}})",
        kind_.group_version, kind_.kind, gen_.pick({"", "", R"(,"labels":{"l":"s"})"}), fields);
    return on(apply(kind_, "o", made, manager(), gen_.chance(40)), "status");
  }

  // What kubectl does when it moves from client-side to server-side apply: the annotation's
  // manager.
  Step last_applied() {
    const auto made = json_text(body(kind_, 1));
    std::string quoted;
    json::print_string(made, quoted, json::Escape::Plain);
    const auto annotation =
        R"({"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":)" +
        quoted + "}}}";
    return with(merge_patch(kind_, "o", annotation), "fieldManager=kubectl-client-side-apply");
  }

  Step next() {
    const auto roll = gen_.between(0, 99);
    if (roll < 55) return good_apply();
    if (roll < 63) return bad_apply();
    if (roll < 68) return odd_apply();
    if (roll < 80) return other_write();
    if (roll < 83) return managed_fields_write();
    if (roll < 90) return subresource_write();
    if (roll < 93) return last_applied();
    if (roll < 95) return remove(kind_, "o");
    if (roll < 97) {
      return apply(kind_, "o", json_text(body(kind_, 1)), "kubectl", gen_.chance(50));
    }
    return get(kind_, "o");
  }

  Gen& gen_;
  const ApplySubject& subject_;
  const Sort& kind_;
};

}  // namespace

Sequence make_apply(Gen& gen) {
  // Half of it is about the kind that was made for it.
  const auto& all = apply_subjects();
  const auto& subject = gen.chance(35) ? all[1] : gen.pick(all);
  return ApplyStory{gen, subject}.tell();
}

}  // namespace fixpoint::conformance
