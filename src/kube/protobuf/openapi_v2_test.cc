// SPDX-License-Identifier: Apache-2.0
#include "kube/protobuf/openapi_v2.h"

#include "json/parsed_for_tests.h"
#include "kube/protobuf/wire.h"

#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace fixpoint::kube {
namespace {

// What lies at field numbers, one inside the other, of the first of each; "" where nothing does.
std::string at(std::string_view message, std::initializer_list<std::uint32_t> numbers) {
  std::string_view inside = message;
  std::vector<WireField> fields;
  for (const auto number : numbers) {
    auto read = wire_fields(inside, "message");
    if (!read) return "broken: " + read.error().message;
    fields = *std::move(read);
    const auto found = with_number(fields, number);
    if (found.empty()) return "";
    if (found.front().wire != Wire::Bytes) return std::to_string(found.front().integer);
    inside = found.front().bytes;
  }
  return std::string{inside};
}

std::vector<std::string> all_at(std::string_view message, std::uint32_t number) {
  std::vector<std::string> found;
  const auto fields = wire_fields(message, "message");
  if (!fields) return {"broken"};
  for (const auto& field : with_number(*fields, number)) found.emplace_back(field.bytes);
  return found;
}

std::string encoded_text(std::string_view document) {
  const json::Value tree = json::parsed(document);
  return openapi_v2_protobuf(tree);
}

// {definitions: {additional_properties: [{name, value: the schema}]}}
std::string schema_of(std::string_view schema) {
  return at(encoded_text(R"({"definitions":{"io.x.Y":)" + std::string{schema} + "}}"), {9, 1, 2});
}

TEST(OpenApiProtobuf, DefinitionsAreNamedSchemas) {
  const auto document = encoded_text(
      R"({"swagger":"2.0","info":{"title":"T","version":"v"},"definitions":{"a":{"type":"object"},"b":{}}})");
  EXPECT_EQ(at(document, {1}), "2.0");
  EXPECT_EQ(at(document, {2, 1}), "T");
  EXPECT_EQ(at(document, {2, 2}), "v");
  const auto definitions = all_at(at(document, {9}), 1);
  ASSERT_EQ(definitions.size(), 2U);
  EXPECT_EQ(at(definitions[0], {1}), "a");
  EXPECT_EQ(at(definitions[0], {2, 22, 1}), "object");
  EXPECT_EQ(at(definitions[1], {1}), "b");
}

TEST(OpenApiProtobuf, ASchemaKeepsWhatAClientReadsOfIt) {
  const auto schema = schema_of(R"({
    "description":"d","type":"object","required":["a","b"],"enum":["x",1],"default":[],
    "properties":{"a":{"$ref":"#/definitions/z"},"x-b":{"type":"array","items":{"format":"int32"}}},
    "additionalProperties":{"type":"string"},"minimum":-1.5,"maxLength":7,"readOnly":true})");
  EXPECT_EQ(at(schema, {4}), "d");
  EXPECT_EQ(all_at(schema, 19), (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(all_at(schema, 20).size(), 2U);
  EXPECT_EQ(at(all_at(schema, 20)[0], {2}), "x\n");
  EXPECT_EQ(at(all_at(schema, 20)[1], {2}), "1\n");
  EXPECT_EQ(at(schema, {5, 2}), "[]\n");
  const auto properties = all_at(at(schema, {25}), 1);
  ASSERT_EQ(properties.size(), 2U);
  EXPECT_EQ(at(properties[0], {2, 1}), "#/definitions/z");
  EXPECT_EQ(at(properties[1], {1}), "x-b");
  EXPECT_EQ(at(properties[1], {2, 23, 1, 2}), "int32");
  EXPECT_EQ(at(schema, {21, 1, 22, 1}), "string");
  EXPECT_EQ(at(schema, {9}), std::to_string(std::bit_cast<std::uint64_t>(-1.5)));
  EXPECT_EQ(at(schema, {11}), "7");
  EXPECT_EQ(at(schema, {27}), "1");
}

TEST(OpenApiProtobuf, AFlagInTheStrictPlaceOfASchemaIsToldWhenItIsFalseToo) {
  EXPECT_EQ(at(schema_of(R"({"additionalProperties":true})"), {21, 2}), "1");
  EXPECT_EQ(at(schema_of(R"({"additionalProperties":false})"), {21, 2}), "0");
}

TEST(OpenApiProtobuf, ExtensionsAreYaml) {
  const auto schema = schema_of(
      R"({"x-kubernetes-group-version-kind":[{"group":"","kind":"Pod","version":"v1"}]})");
  EXPECT_EQ(at(schema, {31, 1}), "x-kubernetes-group-version-kind");
  EXPECT_EQ(at(schema, {31, 2, 2}), "- group: \"\"\n  kind: Pod\n  version: v1\n");
}

TEST(OpenApiProtobuf, AnOperationHasItsParametersAnswersAndExtensions) {
  const auto document = encoded_text(R"({"paths":{"/a":{
    "parameters":[{"in":"path","name":"n","required":true,"type":"string"}],
    "patch":{"operationId":"o","consumes":["c1","c2"],"x-kubernetes-action":"patch",
      "parameters":[{"$ref":"#/parameters/p"},{"in":"query","name":"fieldValidation","type":"string"},
                    {"in":"body","name":"body","schema":{"type":"object"}}],
      "responses":{"200":{"description":"OK","schema":{"$ref":"r"}},"401":{"description":"no"}}}}}})");
  EXPECT_EQ(at(document, {8, 2, 1}), "/a");
  const auto path = at(document, {8, 2, 2});
  EXPECT_EQ(at(path, {9, 1, 2, 4, 4}), "n");
  EXPECT_EQ(at(path, {9, 1, 2, 4, 1}), "1");
  const auto patch = at(path, {8});
  EXPECT_EQ(at(patch, {5}), "o");
  EXPECT_EQ(all_at(patch, 7), (std::vector<std::string>{"c1", "c2"}));
  EXPECT_EQ(at(patch, {13, 1}), "x-kubernetes-action");
  EXPECT_EQ(at(patch, {13, 2, 2}), "patch\n");
  const auto parameters = all_at(patch, 8);
  ASSERT_EQ(parameters.size(), 3U);
  EXPECT_EQ(at(parameters[0], {2, 1}), "#/parameters/p");
  EXPECT_EQ(at(parameters[1], {1, 2, 3, 4}), "fieldValidation");
  EXPECT_EQ(at(parameters[1], {1, 2, 3, 6}), "string");
  EXPECT_EQ(at(parameters[2], {1, 1, 2}), "body");
  EXPECT_EQ(at(parameters[2], {1, 1, 5, 22, 1}), "object");
  const auto answers = all_at(at(patch, {9}), 1);
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(at(answers[0], {1}), "200");
  EXPECT_EQ(at(answers[0], {2, 1, 2, 1, 1}), "r");
  EXPECT_EQ(at(answers[1], {2, 1, 1}), "no");
}

TEST(OpenApiProtobuf, SecurityAndSharedParametersAreNamed) {
  const auto document = encoded_text(R"({
    "parameters":{"limit-1":{"in":"query","name":"limit","type":"integer","uniqueItems":true}},
    "securityDefinitions":{"BearerToken":{"type":"apiKey","name":"authorization","in":"header"}},
    "security":[{"BearerToken":[]}]})");
  EXPECT_EQ(at(document, {10, 1, 1}), "limit-1");
  EXPECT_EQ(at(document, {10, 1, 2, 2, 3, 4}), "limit");
  EXPECT_EQ(at(document, {10, 1, 2, 2, 3, 20}), "1");
  EXPECT_EQ(at(document, {13, 1, 1}), "BearerToken");
  EXPECT_EQ(at(document, {13, 1, 2, 2, 2}), "authorization");
  EXPECT_EQ(at(document, {12, 1, 1}), "BearerToken");
}

TEST(OpenApiProtobuf, WhatHasNoFieldIsLeftOut) {
  EXPECT_EQ(schema_of(R"({"oneOf":[{"type":"string"}],"nullable":true})"), "");
  EXPECT_EQ(encoded_text("[]"), "");
}

}  // namespace
}  // namespace fixpoint::kube
