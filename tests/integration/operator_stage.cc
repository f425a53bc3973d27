// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/operator_stage.h"

#include "json/print.h"
#include "runtime/registry.h"

#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace greeting {
fixpoint::runtime::OperatorEntry entry();
}
namespace noticeboard {
fixpoint::runtime::OperatorEntry entry();
}

namespace fixpoint {

std::unique_ptr<RunningOperator> OperatorStage::run(const std::string& name,
                                                    std::vector<std::string> flags) const {
  return run({.kubeconfig = cluster_.kubeconfig,
              .log = scratch_path_ / (name + ".log"),
              .flags = std::move(flags)});
}

std::unique_ptr<RunningOperator> OperatorStage::run(const RunningOperator::Setup& setup) const {
  auto started = RunningOperator::start(setup);
  EXPECT_TRUE(started.has_value()) << started.error().message;
  return started ? *std::move(started) : nullptr;
}

std::unique_ptr<Meddler> OperatorStage::meddle(const std::string& name) const {
  auto started = Meddler::start(cluster(), scratch() / name);
  EXPECT_TRUE(started.has_value());
  return started ? *std::move(started) : nullptr;
}

void OperatorStage::install() const {
  for (const auto& entry : {greeting::entry(), noticeboard::entry()}) {
    const auto definition = types::crd(*entry.kinds().front());
    const auto code = call("POST", kDefinitions, json::to_text(definition)).status;
    ASSERT_TRUE(code == 201 || code == 409) << code;
  }
  ASSERT_TRUE(eventually(
      [&] { return call("GET", kGreetings).status == 200 && call("GET", kBoards).status == 200; }));
}

void OperatorStage::greet(std::string_view name, std::string_view message) const {
  const auto body = fmt::format(
      R"({{"apiVersion":"example.fixpoint.dev/v1","kind":"Greeting","metadata":{{"name":"{}"}},)"
      R"("spec":{{"message":"{}","replicas":1}}}})",
      name, message);
  ASSERT_EQ(call("POST", kGreetings, body).status, 201);
}

std::string OperatorStage::text_at(const std::string& path,
                                   const std::vector<std::string_view>& keys) const {
  const json::Value object = cluster_.get(path);
  auto found = object.view();
  for (const auto key : keys) found = found.get(key);
  if (found.is_null()) return {};
  return found.is_string() ? std::string{found.as_string()} : json::to_text(found);
}

std::string OperatorStage::page_of(std::string_view name) const {
  return text(kConfigMaps + "/" + std::string{name}, "data", "index.html");
}

bool OperatorStage::greeted(std::string_view name) const {
  const std::string at{name};
  return page_of(name) == "hello" && call("GET", kDeployments + "/" + at).status == 200 &&
         text(kGreetings + "/" + at, "status", "phase") == "Progressing";
}

bool OperatorStage::leads(const RunningOperator& process) {
  return process.metric(R"(leader_election_master_status{name="fixpoint-greeting"})") == 1;
}

void OperatorStage::clean() const {
  // Without an operator nobody takes the finalizers off.
  for (const auto& collection : {kGreetings, kBoards}) {
    const json::Value list = cluster_.get(collection);
    for (const auto item : list.get("items").elements()) {
      const auto path = collection + "/" + std::string{item.get("metadata", "name").as_string()};
      call("DELETE", path);
      call("PATCH", path, R"({"metadata":{"finalizers":null}})");
    }
  }
  for (const auto& collection : {kConfigMaps, kDeployments}) call("DELETE", collection);
  call("DELETE", kLease);
}

}  // namespace fixpoint
