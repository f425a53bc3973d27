// SPDX-License-Identifier: Apache-2.0
#include "kube/errors/error_words.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/go/text.h"

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

// {modes []v1.Mode, name string, labels map[string]string, selector LabelSelector}
class ErrorWords : public testing::Test {
 protected:
  ErrorWords() {
    auto* name = node(GoKind::String, "string");
    auto* mode = node(GoKind::String, "v1.Mode");
    auto* modes = node(GoKind::Slice, "[]v1.Mode");
    modes->items = mode;
    auto* labels = node(GoKind::Map, "map[string]string");
    labels->additional_properties = name;
    auto* selector = node(GoKind::Struct, "LabelSelector");
    add(*selector, "matchLabels", labels);
    add(*root_, "modes", modes);
    add(*root_, "name", name);
    add(*root_, "labels", labels);
    add(*root_, "selector", selector);
  }

  Schema* node(GoKind kind, std::string_view go_type) {
    auto* made = arena_->make();
    made->go_kind = kind;
    made->go_type = go_type;
    return made;
  }
  static void add(Schema& to, std::string_view name, const Schema* schema) {
    Property property;
    property.name = name;
    property.schema = schema;
    to.properties.push_back(std::move(property));
  }
  std::string value_at(std::string_view field) {
    FieldErrors errors{
        {FieldErrorKind::Invalid, std::string{field}, go_quoted("<\x01"), ""}
    };
    word_by_type(*root_, errors);
    return errors[0].value;
  }
  std::string empties(std::string_view decoded, std::string_view given, EmptyForm form) {
    const auto object = json::parse(decoded).value();
    const auto sent = json::parse(given).value();
    const json::Value made = with_empties(*root_, object, sent, form);
    return json::to_text(made);
  }

  Ref<SchemaArena> arena_ = make_ref<SchemaArena>();
  Schema* root_ = node(GoKind::Struct, "Thing");
};

TEST_F(ErrorWords, ShowAStringOfANamedTypeAsJson) {
  EXPECT_EQ(value_at("name"), R"("<\x01")");
  EXPECT_EQ(value_at("labels[a.b]"), R"("<\x01")");
  EXPECT_EQ(value_at("modes[0]"), R"("\u003c\u0001")");
  EXPECT_EQ(value_at("modes"), R"("\u003c\u0001")");
  EXPECT_EQ(value_at("unknown.place"), R"("<\x01")");
}

TEST_F(ErrorWords, TakeTheTextOfTheSameFieldOnly) {
  FieldErrors errors{
      {FieldErrorKind::Invalid, "a", "null", ""},
      {FieldErrorKind::Invalid, "a", "null", ""}
  };

  reword(errors, {
                     {FieldErrorKind::Invalid,  "b", "7",  ""},
                     {FieldErrorKind::Required, "a", "8",  ""},
                     {FieldErrorKind::Invalid,  "a", "{}", ""}
  });

  EXPECT_EQ(errors[0].value, "{}");
  EXPECT_EQ(errors[1].value, "null");
}

TEST_F(ErrorWords, PutBackWhatWasSentEmpty) {
  constexpr auto kGiven =
      R"({"labels":{},"modes":[],"name":"","selector":{"matchLabels":{}},"other":{}})";

  EXPECT_EQ(empties(R"({"modes":null,"selector":{}})", kGiven, EmptyForm::Held),
            R"({"labels":{},"modes":[],"selector":{"matchLabels":{}}})");
  EXPECT_EQ(empties(R"({"selector":{}})", kGiven, EmptyForm::Printed),
            R"({"labels":{},"modes":[],"selector":{}})");
  // What something else has filled in stays.
  EXPECT_EQ(empties(R"({"modes":["a"],"labels":{"b":"c"}})", kGiven, EmptyForm::Held),
            R"({"labels":{"b":"c"},"modes":["a"]})");
}

TEST(GoText, IsReadBackFromItsQuotedForm) {
  for (const std::string text : {"", "plain", "a\"b\\c", "\x01\n\t\x7f", "é\u2028\U0001F600"}) {
    EXPECT_EQ(go_unquoted(go_quoted(text)), text);
  }
  for (const auto* other : {"7", "{}", "\"", "\"a", R"("a"b")", R"("\q")", R"("\x1")"}) {
    EXPECT_EQ(go_unquoted(other), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace fixpoint::kube
