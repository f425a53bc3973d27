// SPDX-License-Identifier: Apache-2.0
//
// YAML in and out. The expected texts are what sigs.k8s.io/yaml 1.6 answers.
#include "json/yaml/yaml.h"

#include "json/parsing/parse.h"
#include "json/print.h"
#include "json/random_tree.h"

#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace fixpoint::json {
namespace {

std::string read_yaml(std::string_view text, Duplicates duplicates = Duplicates::Refuse) {
  const auto value = parse_yaml(text, duplicates);
  return value ? to_text(*value) : "error: " + value.error().message;
}

TEST(Yaml, ReadsAKubernetesManifest) {
  EXPECT_EQ(
      read_yaml(
          "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  labels: {app: web}\nspec:\n"
          "  containers:\n  - name: c\n    image: \"nginx:1.25\"\n    args: [--a, '--b=1']\n"),
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"app":"web"},"name":"web"},)"
      R"("spec":{"containers":[{"args":["--a","--b=1"],"image":"nginx:1.25","name":"c"}]}})");
}

TEST(Yaml, ResolvesPlainScalarsAsKubernetesDoes) {
  const std::pair<const char*, const char*> cases[] = {
      {"yes",                 "true"               },
      {"No",                  "false"              },
      {"on",                  "true"               },
      {"OFF",                 "false"              },
      {"y",                   "true"               },
      {"n",                   "false"              },
      {"yEs",                 "\"yEs\""            },
      {"~",                   "null"               },
      {"",                    "null"               },
      {"Null",                "null"               },
      {"12",                  "12"                 },
      {"+12",                 "12"                 },
      {"0x1F",                "31"                 },
      {"0o14",                "12"                 },
      {"012",                 "10"                 },
      {"08",                  "8"                  },
      {"0b11",                "3"                  },
      {"-0b11",               "-3"                 },
      {"1_000",               "1000"               },
      {"1.5",                 "1.5"                },
      {"1.0",                 "1"                  },
      {"1e3",                 "1000"               },
      {"1e21",                "1e+21"              },
      {".5",                  "0.5"                },
      {"1e400",               "\"1e400\""          },
      {"9223372036854775808", "9223372036854776000"},
      {"1:30",                "\"1:30\""           },
      {"2001-01-01",          "\"2001-01-01\""     },
      {"'yes'",               "\"yes\""            },
      {"\"1\"",               "\"1\""              },
      {"!!str 1",             "\"1\""              },
      {"!!int \"1\"",         "1"                  },
      {"!!float 1",           "1"                  },
      {"!!binary aGVsbG8=",   "\"hello\""          },
      {"!foo bar",            "\"bar\""            },
      {"! 12",                "\"12\""             },
      {"<<",                  "\"\\u003c\\u003c\"" },
      {"-",                   "[null]"             }
  };

  for (const auto& [text, expected] : cases) EXPECT_EQ(read_yaml(text), expected) << text;
}

TEST(Yaml, KeepsIntegersIntegersThroughJson) {
  EXPECT_TRUE(parse_yaml("1.0")->is_int());
  EXPECT_TRUE(parse_yaml("1e3")->is_int());
  EXPECT_FALSE(parse_yaml("1.5")->is_int());
}

TEST(Yaml, RefusesDuplicateKeysWithLineAndName) {
  const auto* text = "a:\n  x: 1\nname: a\nb: 1\nname: b\n";

  EXPECT_EQ(read_yaml(text),
            "error: yaml: unmarshal errors:\n  line 5: key \"name\" already set in map");
  EXPECT_EQ(read_yaml(text, Duplicates::KeepLast), R"({"a":{"x":1},"b":1,"name":"b"})");
  EXPECT_EQ(read_yaml("1: a\n1: b\ntrue: a\ntrue: b\n"),
            "error: yaml: unmarshal errors:\n  line 2: key 1 already set in map\n"
            "  line 4: key true already set in map");
}

TEST(Yaml, RefusesWrongSyntaxInTheWordsOfItsGoLibrary) {
  EXPECT_EQ(read_yaml("x: 1\na: b: c\n"),
            "error: yaml: line 2: mapping values are not allowed in this context");
  EXPECT_EQ(read_yaml("a:\n\tb: c\n"),
            "error: yaml: line 2: found character that cannot start any token");
  EXPECT_EQ(read_yaml("a: [1, 2\n"), "error: yaml: line 1: did not find expected ',' or ']'");
  EXPECT_EQ(read_yaml("- a\nb: c\n"), "error: yaml: line 1: did not find expected '-' indicator");
  EXPECT_EQ(read_yaml("a: 'x\n"), "error: yaml: line 2: found unexpected end of stream");
  EXPECT_EQ(read_yaml("a: \x01\n"), "error: yaml: control characters are not allowed");
  EXPECT_EQ(read_yaml("a: *nope\n"), "error: yaml: unknown anchor 'nope' referenced");
  EXPECT_EQ(read_yaml("!!int abc"), "error: yaml: cannot decode !!str `abc` as a !!int");
  EXPECT_EQ(read_yaml("a: .inf"), "error: json: unsupported value: +Inf");
  EXPECT_EQ(read_yaml("~: v"),
            "error: unsupported map key of type: %!s(<nil>), key: <nil>, value: \"v\"");
  EXPECT_EQ(read_yaml("? [a]\n: b\n"), "error: yaml: invalid map key: []interface {}{\"a\"}");
}

TEST(Yaml, TurnsKeysIntoStrings) {
  EXPECT_EQ(read_yaml("1: a\ntrue: b\n1.5: c\n1234567.5: d\n"),
            R"({"1":"a","1.2345675e+06":"d","1.5":"c","true":"b"})");
}

TEST(Yaml, ExpandsAnchorsAndMergeKeys) {
  EXPECT_EQ(read_yaml("x: &a [1, 2]\nz: *a\n"), R"({"x":[1,2],"z":[1,2]})");
  EXPECT_EQ(read_yaml("x: &a {p: 1, q: 2}\nz:\n  <<: *a\n  r: 3\n"),
            R"({"x":{"p":1,"q":2},"z":{"p":1,"q":2,"r":3}})");
  EXPECT_EQ(
      read_yaml("a: &a {p: 1}\nb: &b {p: 2, r: 3}\nz:\n  <<: [*a, *b]\n", Duplicates::KeepLast),
      R"({"a":{"p":1},"b":{"p":2,"r":3},"z":{"p":1,"r":3}})");
  EXPECT_EQ(read_yaml("y:\n  <<: 1\n"),
            "error: yaml: map merge requires map or sequence of maps as the value");
}

TEST(Yaml, RefusesBombsAndCycles) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c < 'k'; ++c) {
    const std::string last{static_cast<char>(c - 1)};
    bomb += std::string{c} + ": &" + c + " [";
    for (int i = 0; i < 10; ++i) bomb += (i > 0 ? ",*" : "*") + last;
    bomb += "]\n";
  }
  EXPECT_EQ(read_yaml(bomb), "error: yaml: document contains excessive aliasing");

  std::string wide = "a: &a " + std::string(1'000'000, 'x') + "\nb: [*a";
  for (int i = 0; i < 99; ++i) wide += ",*a";
  EXPECT_EQ(read_yaml(wide + "]"), "error: yaml: document contains excessive aliasing");

  EXPECT_EQ(read_yaml("a: &x [*x]\n"), "error: yaml: anchor 'x' value contains itself");
  EXPECT_EQ(read_yaml(std::string(kDepthMax + 1, '[')),
            "error: yaml: exceeded max depth of " + std::to_string(kDepthMax));
}

TEST(Yaml, ReadsNothingAsNull) {
  EXPECT_EQ(read_yaml(""), "null");
  EXPECT_EQ(read_yaml(std::string_view{}), "null");
  EXPECT_TRUE(parse_yaml_documents(std::string_view{})->empty());
}

TEST(Yaml, ReadsManyDocumentsAndSkipsEmptyOnes) {
  const auto documents = parse_yaml_documents("---\na: 1\n---\n# nothing\n---\nb: 2\n...\n");

  ASSERT_TRUE(documents.has_value());
  ASSERT_EQ(documents->size(), 2U);
  EXPECT_EQ(to_text((*documents)[1]), R"({"b":2})");
  EXPECT_EQ(read_yaml("a: 1\n---\nb: [\n"), R"({"a":1})");
  EXPECT_FALSE(parse_yaml_documents("a: 1\n---\nb: [\n").has_value());
}

TEST(Yaml, PrintsAsKubectlDoes) {
  const auto value = parse(
      R"({"metadata":{"name":"web","creationTimestamp":"2024-01-01T00:00:00Z","labels":{}},)"
      R"("a10":"12","a2":"yes","list":[{"x":1,"y":[]},"s"],"text":"one\ntwo\n","n":null,"f":1.5,)"
      R"("q":"it's: quoted","empty":"","neg":-3,"deep":[[1,2]]})");

  EXPECT_EQ(to_yaml(*value),
            "a2: \"yes\"\na10: \"12\"\ndeep:\n- - 1\n  - 2\nempty: \"\"\nf: 1.5\nlist:\n- x: 1\n"
            "  \"y\": []\n- s\nmetadata:\n  creationTimestamp: \"2024-01-01T00:00:00Z\"\n"
            "  labels: {}\n  name: web\n\"n\": null\nneg: -3\nq: 'it''s: quoted'\n"
            "text: |\n  one\n  two\n");
}

TEST(Yaml, ReadsBackWhatItPrints) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto value = random_object(seed, Nulls::Yes);
    const auto text = to_yaml(value);

    const auto again = parse_yaml(text);

    ASSERT_TRUE(again.has_value()) << again.error().message << "\n" << text;
    EXPECT_EQ(*again, value) << text;
  }
}

TEST(Yaml, ReadsJson) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto value = random_object(seed, Nulls::Yes);
    const auto text = to_text(value);
    if (text.contains('\x7f')) continue;  // YAML has no DEL

    EXPECT_EQ(read_yaml(text), text);
  }
}

}  // namespace
}  // namespace fixpoint::json
