// SPDX-License-Identifier: Apache-2.0
#include "node/names/names.h"

#include "node/names/dns_message.h"
#include "node/pod/pod_for_tests.h"

#include <algorithm>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fixpoint::node {
namespace {

using testing::ElementsAre;

// A query for an address, as resolvers write it.
std::string query(std::string_view name) {
  std::string out("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00", 12);
  while (!name.empty()) {
    const auto end = std::min(name.find('.'), name.size());
    out += static_cast<char>(end);
    out += name.substr(0, end);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return out + std::string("\0\0\1\0\1", 5);
}

class NodeNames : public testing::Test {
 protected:
  static json::Value pod(int number, std::string_view ready) {
    return parsed(fmt::format(
        R"({{"metadata":{{"name":"db-{0}","namespace":"ns","labels":{{"app":"db"}}}},
             "spec":{{"hostname":"db-{0}","subdomain":"db"}},"status":{{"podIP":"127.1.0.{0}",
             "conditions":[{{"type":"Ready","status":"{1}"}}]}}}})",
        number, ready));
  }
  NameAnswer of(std::string_view name) {
    return look_up(name, "cluster.local",
                   {
                       .services = {service_},
                         .pods = {one_, two_, three_},
                         .slices = {slice_}
    });
  }

  json::Value service_ = parsed(R"({"metadata":{"name":"db","namespace":"ns"},
      "spec":{"selector":{"app":"db"}}})");
  json::Value one_ = pod(1, "True");
  json::Value two_ = pod(2, "True");
  json::Value three_ = pod(3, "False");
  json::Value slice_ = parsed(R"({"metadata":{"name":"db-x","namespace":"ns",
      "labels":{"kubernetes.io/service-name":"db"}},"endpoints":[
      {"addresses":["10.0.0.9"],"hostname":"db-9","conditions":{"ready":true}},
      {"addresses":["127.1.0.2"],"hostname":"db-2","conditions":{"ready":true}}]})");
};

TEST_F(NodeNames, AServiceIsItsReadyPodsAndAPodIsItself) {
  EXPECT_THAT(of("db.ns.svc.cluster.local").addresses,
              ElementsAre("10.0.0.9", "127.1.0.1", "127.1.0.2"));
  EXPECT_THAT(of("db-2.db.ns.svc.cluster.local").addresses, ElementsAre("127.1.0.2"));
  EXPECT_THAT(of("db-9.db.ns.svc.cluster.local").addresses, ElementsAre("10.0.0.9"));
  EXPECT_FALSE(of("db-3.db.ns.svc.cluster.local").known);
  EXPECT_FALSE(of("other.ns.svc.cluster.local").known);
  EXPECT_TRUE(of("other.ns.svc.cluster.local").ours);
  EXPECT_FALSE(of("example.org").ours);
  EXPECT_EQ(namespace_in("db-1.db.ns.svc.cluster.local", "cluster.local"), "ns");
  EXPECT_EQ(namespace_in("example.org", "cluster.local"), "");
}

TEST_F(NodeNames, AQuestionIsReadAndAnswered) {
  const auto question = parse_question(query("DB.ns.svc"));
  ASSERT_TRUE(question.has_value());
  EXPECT_EQ(question->name, "db.ns.svc");
  EXPECT_EQ(question->type, kTypeA);

  const auto answer = dns_answer(*question, DnsOutcome::Found, {"127.1.0.2", "no address"});

  EXPECT_EQ(answer.substr(0, 4), std::string("\x12\x34\x85\x80", 4));
  EXPECT_EQ(answer.substr(6, 2), std::string("\0\1", 2));
  EXPECT_EQ(answer.substr(answer.size() - 4), std::string("\x7f\1\0\2", 4));
}

TEST_F(NodeNames, AnswersStayWithinOneDatagram) {
  const auto question = parse_question(query("a.b"));
  ASSERT_TRUE(question.has_value());

  const auto answer =
      dns_answer(*question, DnsOutcome::Found, std::vector<std::string>(100, "127.1.0.2"));

  EXPECT_LE(answer.size(), kMessageBytesMax);
}

TEST_F(NodeNames, WhateverIsNoQuestionIsRefused) {
  const auto good = query("a.b");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(parse_question(good.substr(0, size)).has_value()) << size;
  }
  auto answer = good;
  answer[2] = '\x81';
  EXPECT_FALSE(parse_question(answer).has_value());
  auto pointer = good;
  pointer[12] = '\xc0';
  EXPECT_FALSE(parse_question(pointer).has_value());
}

}  // namespace
}  // namespace fixpoint::node
