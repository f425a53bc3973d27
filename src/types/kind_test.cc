// SPDX-License-Identifier: Apache-2.0
#include "types/kind.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "kube/crd/crd.h"
#include "types/decode.h"
#include "types/gadget_for_tests.h"
#include "types/reference.h"
#include "types/sample.h"
#include "types/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::types {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json::Value spec_schema() {
  const auto schema = open_api_schema(gadget_kind(), gadget_kind().storage_version());
  return json::Value{schema.get("properties", "spec")};
}

std::string property(std::string_view name) {
  const auto schema = spec_schema();
  return json::to_text(schema.get("properties", name), json::Escape::Plain);
}

TEST(Kind, MakesADefinitionThatTheServersChecksAccept) {
  EXPECT_THAT(mistakes(gadget_kind()), IsEmpty());
}

TEST(Kind, NamesWhatTheServersChecksRefuse) {
  auto kind = gadget_kind();
  kind.plural = "Gadgets";
  kind.versions[0].columns[0].type = "text";

  EXPECT_THAT(mistakes(kind), Contains(HasSubstr("spec.names.plural")));
  EXPECT_THAT(mistakes(kind), Contains(HasSubstr("additionalPrinterColumns[0].type")));
}

TEST(Kind, SaysEverythingThatIsReadFromADefinition) {
  const auto definition = crd(gadget_kind());
  const auto read = kube::read_custom_resource(definition);

  EXPECT_EQ(definition.get("metadata", "name").as_string(), "gadgets.test.fixpoint.example");
  EXPECT_EQ(read.names.singular, "gadget");
  EXPECT_EQ(read.names.list_kind, "GadgetList");
  EXPECT_THAT(read.names.short_names, ElementsAre("gd"));
  EXPECT_THAT(read.names.categories, ElementsAre("all", "things"));
  ASSERT_EQ(read.versions.size(), 2U);
  EXPECT_TRUE(read.versions[0].has_status);
  EXPECT_EQ(read.versions[0].scale->spec_replicas, ".spec.count");
  EXPECT_EQ(read.versions[0].columns.size(), 4U);
  EXPECT_THAT(read.versions[0].selectable_fields, ElementsAre(".spec.colour"));
  EXPECT_TRUE(read.versions[1].deprecated);
}

TEST(Kind, WritesLimitsAsKeywords) {
  EXPECT_EQ(
      property("count"),
      R"({"default":1,"description":"How many. Default: 1.","format":"int32","maximum":9,"minimum":0,)"
      R"("type":"integer"})");
  EXPECT_EQ(
      property("asn"),
      R"({"default":64512,"description":"A number of 32 bits. Default: 64512.","format":"int64",)"
      R"("maximum":4294967295,"minimum":1,"type":"integer"})");
  EXPECT_EQ(property("colour"),
            R"({"default":"red","description":"Its colour. Default: red.","enum":["red","green"],)"
            R"("type":"string"})");
  EXPECT_EQ(property("settings"), R"({"description":"Free fields.","type":"object",)"
                                  R"("x-kubernetes-preserve-unknown-fields":true})");
}

TEST(Kind, TakesDefaultsFromTheStruct) {
  const auto schema = spec_schema();

  EXPECT_EQ(json::to_text(schema.get("properties", "store", "default")),
            R"({"keep":true,"mode":"Safe","size":"10Gi"})");
  EXPECT_EQ(json::to_text(schema.get("properties", "backup", "default")),
            R"({"keep":false,"mode":"Fast","size":"2Gi"})");
  EXPECT_FALSE(schema.get("properties", "fifth").contains("default"));
  EXPECT_FALSE(schema.get("properties", "labels").contains("default"));
}

TEST(Kind, ChecksImmutabilityWithRules) {
  const auto schema = spec_schema();

  EXPECT_EQ(json::to_text(schema.get("properties", "mode", "x-kubernetes-validations")),
            R"([{"message":"is immutable","rule":"self == oldSelf"}])");
  // What may be left out may also be neither given nor taken later.
  const auto rules = json::to_text(schema.get("x-kubernetes-validations"));
  EXPECT_THAT(rules, HasSubstr("has(self.otherMode) == has(oldSelf.otherMode)"));
  EXPECT_THAT(rules, testing::Not(HasSubstr("has(self.mode)")));
}

TEST(Kind, ShowsAnExampleThatIsAllowed) {
  const auto object = example(gadget_kind());

  EXPECT_THAT(decode<GadgetSpec>(object.get("spec")).errors, IsEmpty());
  EXPECT_TRUE(object.get("spec").contains("text"));
}

TEST(Kind, DocumentsEveryField) {
  const auto page = reference_page(gadget_kind());

  EXPECT_THAT(page,
              HasSubstr("| `count` | integer | `1` | How many. Give an integer from 0 to 9. |"));
  EXPECT_THAT(page, HasSubstr("| `text` | string | required |"));
  EXPECT_THAT(page, HasSubstr("### spec.wheels[]\n\nA wheel.\n"));
  EXPECT_THAT(page, HasSubstr("### spec.spares.<name>"));
  EXPECT_THAT(page, HasSubstr("How it works. Give one of Fast, Safe. Cannot be changed later."));
}

struct Odd {
  std::string text;
  std::int32_t count = 20;
  std::optional<std::int32_t> maybe;
  Wheel wheel;
  std::vector<Wheel> wheels;

  static Table table() {
    return describe<Odd>(
        "Full of mistakes.",
        {
            {"text", &Odd::text, "", {.minimum = 1, .pattern = "("}},
            {"count", &Odd::count, "Too large.", {.maximum = 9}},
            {"maybe", &Odd::maybe, "Both.", {.required = true}},
            {"wheel", &Odd::wheel, "Has a required field."},
            {"wheels", &Odd::wheels, "By tyre.", {.list = ListKind::Map, .keys = {"tyre", "x"}}},
            {"text", &Odd::text, "Again.", {.max_length = 1, .example = "long"}},
    });
  }
};

TEST(Mistakes, AreNamedWithTheirFields) {
  const auto found = mistakes(table_of<Odd>());

  EXPECT_THAT(found, Contains("text: has no doc"));
  EXPECT_THAT(found, Contains("text: has bounds of a number, but is none"));
  EXPECT_THAT(found, Contains(HasSubstr("text: error parsing regexp: missing closing )")));
  EXPECT_THAT(found, Contains(HasSubstr("count: refuses its default: Invalid value: 20")));
  EXPECT_THAT(found, Contains(HasSubstr("maybe: is required and std::optional")));
  EXPECT_THAT(found, Contains(HasSubstr("wheel: holds name, which is required")));
  EXPECT_THAT(found,
              Contains("wheels: has a key tyre, which is neither required nor has a default"));
  EXPECT_THAT(found, Contains("wheels: has a key x, which its elements lack"));
  EXPECT_THAT(found, Contains("text: is there twice"));
  EXPECT_THAT(found, Contains(HasSubstr("text: refuses its example: Too long")));
}

struct Advised {
  std::string name;
  std::string worn;
  std::string quoted;
  std::string bare;

  static Table table() {
    const std::string advice = "is no name; Write it as abc";
    return describe<Advised>(
        "Patterns with words.",
        {
            {"name",
             &Advised::name,
             "Fine.",                                 {.max_length = 9, .pattern = "^[a-z]+$", .pattern_advice = advice, .example = "abc"}},
            {"worn",
             &Advised::worn,
             "No bound.",                             {.pattern = "a", .pattern_advice = advice, .example = "a"}                          },
            {"quoted",
             &Advised::quoted,
             "A quote.",                              {.max_length = 9, .pattern = "'", .pattern_advice = advice, .example = "'"}         },
            {"bare",   &Advised::bare, "No pattern.", {.max_length = 9, .pattern_advice = advice}                                         },
    });
  }
};

// A schema's own pattern has no words; a rule has.
TEST(Kind, SaysAPatternWithWordsAsARule) {
  const auto& field = table_of<Advised>().fields[0];
  const auto schema = schema_of(*field.type, field.limits).freeze();
  EXPECT_TRUE(schema.get("pattern").is_null());
  const auto rule = schema.get("x-kubernetes-validations")[0];
  EXPECT_EQ(rule.get("rule").as_string(), "self.matches(r'^[a-z]+$')");
  EXPECT_EQ(rule.get("message").as_string(), "is no name; Write it as abc");

  const auto bad = json::parse(R"({"name":"A"})").value();
  const auto decoded = decode<Advised>(bad);
  ASSERT_EQ(decoded.errors.size(), 1U);
  EXPECT_THAT(decoded.errors[0].detail, HasSubstr("is no name; Write it as abc"));
}

TEST(Mistakes, IncludeWordsForWhatIsNoRule) {
  EXPECT_THAT(mistakes(table_of<Advised>()),
              ElementsAre(HasSubstr("worn: has words for a pattern, but is no std::string of a"),
                          HasSubstr("quoted: has words for a pattern with a ' in it"),
                          HasSubstr("bare: has words for a pattern it does not have")));
}

struct Endless {
  std::vector<Endless> more;
  static Table table() {
    return describe<Endless>("Holds itself.", {
                                                  {"more", &Endless::more, "Of the same."}
    });
  }
};

TEST(Mistakes, IncludeStructsThatHoldThemselves) {
  EXPECT_THAT(mistakes(table_of<Endless>()), Contains(HasSubstr("holds itself")));
}

}  // namespace
}  // namespace fixpoint::types
