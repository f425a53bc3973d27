// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/story.h"

#include "cli/demo/burst.h"
#include "cli/demo/calls.h"
#include "cli/demo/manifests.h"
#include "cli/demo/workloads.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace fixpoint::cli::demo {
namespace {

constexpr std::string_view kDatabases = "/apis/example.com/v1/namespaces/shop/databases";
constexpr std::string_view kOrdersPath = "/apis/example.com/v1/namespaces/shop/databases/orders";

// A run of creates this long has many commits in flight when it is cut off.
constexpr std::size_t kAcknowledgedBeforeKill = 300;

// The fields of a FieldsV1 tree as paths: {"f:spec": {"f:replicas": {}}} is .spec.replicas.
void field_paths(json::View fields, const std::string& path, std::string& out) {
  if (fields.empty()) {
    out += out.empty() ? path : " " + path;
    return;
  }
  for (const auto [key, below] : fields.members()) {
    if (key == ".") continue;  // the containing field itself
    field_paths(below, fmt::format("{}.{}", path, key.substr(key.find(':') + 1)), out);
  }
}

// A write, the event it must cause, and what it is in words.
struct Change {
  Call call;
  std::string_view event;
  std::string_view what;
};

std::string padded(const Row& row) {
  std::string line;
  for (const auto& cell : row) line += fmt::format("{:<11}", cell);
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

}  // namespace

Result<void> Story::tell() {
  const auto begin = start_watch();
  page_.title("Fixpoint demo: a Kubernetes cluster in one process, used, killed and used again");
  page_.text(
      "Lines with $ say what a person would type. The demo sends the same requests itself,\n"
      "over TLS, and checks every answer; kubectl is not needed.");
  FP_TRY_VOID(cluster_.introduce());
  FP_TRY_VOID(new_kind());
  FP_TRY_VOID(columns());
  FP_TRY_VOID(watch());
  FP_TRY_VOID(conflict());
  FP_TRY_VOID(crash());
  FP_TRY_VOID(garbage());
  FP_TRY_VOID(namespace_deletion());
  FP_TRY_VOID(Workloads(page_, cluster_.session()).tell());
  FP_TRY_VOID(cluster_.stop());
  page_.title(fmt::format("\nEverything held, in {:.1f} s. To go on by hand: make up",
                          millis_since(begin) / 1000));
  return {};
}

Result<void> Story::new_kind() {
  page_.section(
      "A kind of our own",
      "A CustomResourceDefinition takes effect with its own answer: the next request may\n"
      "use it. Its schema fills in defaults and refuses what is wrong, all of it at once.");
  FP_TRY(space, cluster_.session().expect(
                    201, post("/api/v1/namespaces", R"({"metadata":{"name":"shop"}})")));
  page_.command("kubectl create namespace shop");
  page_.text(fmt::format("namespace/{} created", space.get("metadata", "name").as_string()));

  page_.command("kubectl apply --server-side -f databases-crd.yaml -f orders.yaml");
  const auto begin = start_watch();
  FP_TRY_VOID(apply(cluster_.session(), fmt::format("{}/databases.example.com", kDefinitions),
                    kDefinition, "demo"));
  FP_TRY_VOID(apply(cluster_.session(), kOrdersPath, kOrders, "alice"));
  const double took = millis_since(begin);
  page_.text(
      "customresourcedefinition.apiextensions.k8s.io/databases.example.com "
      "serverside-applied\ndatabase.example.com/orders serverside-applied");
  page_.proved(fmt::format("from definition to first object: {:.1f} ms", took));

  page_.command("kubectl apply --server-side -f sessions.yaml     # spec: {engine: valkey}");
  FP_TRY(sessions,
         apply(cluster_.session(), fmt::format("{}/sessions", kDatabases), kSessions, "alice"));
  page_.text("database.example.com/sessions serverside-applied");
  if (sessions.get("spec", "replicas").as_int() != 1) return wrong("no default was filled in");
  page_.proved("spec.replicas was not given and is 1, the schema's default");

  page_.command("kubectl create -f wrong.yaml     # spec: {engine: paper, replicas: 12}");
  FP_TRY(refusal, cluster_.session().expect(422, {.method = "POST",
                                                  .target = std::string{kDatabases},
                                                  .body = std::string{kWrong},
                                                  .content_type = "application/yaml"}));
  page_.text("The Database \"wrong\" is invalid:");
  for (const auto cause : refusal.get("details", "causes").elements()) {
    page_.text(
        fmt::format("* {}: {}", cause.get("field").as_string(), cause.get("message").as_string()));
  }
  if (refusal.get("details", "causes").size() != 2) return wrong("two mistakes, not two causes");
  return {};
}

Result<void> Story::columns() {
  page_.section(
      "Columns are the server's",
      "kubectl knows nothing of databases: the columns come from the definition, and the\n"
      "server fills them in.");
  page_.command("kubectl get databases -n shop");
  return show_table(cluster_.session(), page_, kDatabases);
}

Result<void> Story::watch() {
  page_.section("A watch",
                "Controllers live on this: every change, in order, as soon as it is durable, and\n"
                "nothing that could still be lost.");
  FP_TRY(list, cluster_.session().expect(200, get(kDatabases)));
  page_.command("kubectl get databases -n shop --watch-only --output-watch-events");
  page_.text(padded({"EVENT", "NAME", "ENGINE", "REPLICAS", "PHASE", "AGE"}));

  std::vector<Row> seen;
  std::string_view done;
  Stopwatch sent = start_watch();
  auto call =
      get_table(fmt::format("{}?watch=true&resourceVersion={}", kDatabases, revision_of(list)));
  const auto watching = cluster_.session().watch(std::move(call), [&](json::View event) {
    const auto rows = body_rows(event.get("object"));
    Row row = rows.empty() ? Row{} : rows[0];
    row.insert(row.begin(), std::string{event.get("type").as_string()});
    page_.text(fmt::format("{:<62}# {:.1f} ms after {}", padded(row), millis_since(sent), done));
    seen.push_back(std::move(row));
  });
  const auto sessions = fmt::format("{}/sessions", kDatabases);
  const std::vector<Change> changes{
      {merge_patch(fmt::format("{}/status", kOrdersPath), R"({"status":{"phase":"Ready"}})"),
       "MODIFIED", "its status was sent"},
      {merge_patch(sessions, R"({"spec":{"replicas":2}})"), "MODIFIED", "replicas: 2 was sent"},
      {remove(sessions), "DELETED", "its deletion was sent"},
  };
  for (const Change& change : changes) {
    const auto want = seen.size() + 1;
    done = change.what;
    sent = start_watch();
    FP_TRY_VOID(cluster_.session().expect(200, change.call));
    FP_TRY_VOID(stage_.wait("the watch event", [&] { return seen.size() >= want; }));
    if (seen.back()[0] != change.event) {
      return wrong(fmt::format("a watch event {} instead of {}", seen.back()[0], change.event));
    }
  }
  page_.proved("three writes, three events, in order");
  return {};
}

Result<void> Story::show_owners() {
  FP_TRY(orders, cluster_.session().expect(200, get(kOrdersPath)));
  std::vector<Row> rows{
      {"MANAGER", "OPERATION", "OWNS"}
  };
  for (const auto entry : orders.get("metadata", "managedFields").elements()) {
    std::string paths;
    field_paths(entry.get("fieldsV1"), "", paths);
    rows.push_back({std::string{entry.get("manager").as_string()},
                    std::string{entry.get("operation").as_string()}, paths});
  }
  page_.command("kubectl get database orders -n shop --show-managed-fields -o yaml   # in short");
  page_.table(rows);
  return {};
}

Result<void> Story::conflict() {
  page_.section("Two people, one field",
                "With server-side apply every field has an owner. Taking somebody else's needs to\n"
                "be said; nobody overwrites anybody by accident.");
  FP_TRY_VOID(show_owners());
  page_.command(
      "kubectl apply --server-side --field-manager=autoscaler -f scaled.yaml   "
      "# spec: {replicas: 5}");
  Call scale{.method = "PATCH",
             .target = fmt::format("{}?fieldManager=autoscaler", kOrdersPath),
             .body = std::string{kScaled},
             .content_type = std::string{kApplyYaml}};
  FP_TRY(refusal, cluster_.session().expect(409, scale));
  page_.text(fmt::format("error: {}", refusal.get("message").as_string()));
  const auto cause = refusal.get("details", "causes")[0];
  if (cause.get("field").as_string() != ".spec.replicas") return wrong("another field conflicts");
  page_.text("alice said 3. The autoscaler may leave the field out, or take it over:");

  page_.command(
      "kubectl apply --server-side --field-manager=autoscaler --force-conflicts "
      "-f scaled.yaml");
  scale.target += "&force=true";
  FP_TRY(forced, cluster_.session().expect(200, std::move(scale)));
  page_.text("database.example.com/orders serverside-applied");
  if (forced.get("spec", "replicas").as_int() != 5) return wrong("force did not take the field");
  return show_owners();
}

Result<void> Story::crash() {
  page_.section("kill -9 in the middle of writing",
                "An acknowledged write survives. The server is killed with requests in flight and\n"
                "started again on the same directory.");
  FP_TRY(before, cluster_.session().expect(200, get(kDatabases)));
  Burst burst(cluster_.session());
  page_.command(fmt::format("kubectl create configmap order-00000 …   # without end, {} at a time",
                            kBurstWidth));
  const auto begin = start_watch();
  burst.start();
  FP_TRY_VOID(stage_.wait("acknowledged writes", [&] {
    return burst.acknowledged() >= kAcknowledgedBeforeKill || burst.idle();
  }));
  const double took = millis_since(begin);
  const auto pid = cluster_.server().pid();
  cluster_.server().kill();
  page_.command(fmt::format("kill -9 {}", pid));
  FP_TRY_VOID(stage_.wait("the end of the connection", [&] { return burst.idle(); }));
  if (burst.refused() != 0) return wrong(fmt::format("a create got {}", burst.refused()));
  if (burst.unanswered() == 0) return wrong("nothing was in flight at the kill");
  page_.text(fmt::format("{} writes acknowledged in {:.0f} ms, {} in flight and never answered",
                         burst.acknowledged(), took, burst.unanswered()));
  page_.command("fixpoint up …                        # the same command again");
  FP_TRY_VOID(cluster_.start());
  page_.text(cluster_.server().ready_line());
  return compare_after_crash(burst, before);
}

Result<void> Story::compare_after_crash(const Burst& burst, const json::Value& before) {
  FP_TRY(orders, cluster_.session().expect(
                     200, get("/api/v1/namespaces/shop/configmaps?fieldSelector=metadata.name%21"
                              "%3Dkube-root-ca.crt")));
  const auto found = orders.get("items").size();
  const auto broken = burst.broken_in(orders);
  if (broken != 0) return wrong(fmt::format("{} objects are not what was sent", broken));
  const auto missing = burst.missing_from(orders);
  if (missing != 0) return wrong(fmt::format("{} acknowledged writes are lost", missing));
  page_.proved(fmt::format("all {} acknowledged objects are there, same uid, same resourceVersion",
                           burst.acknowledged()));
  page_.proved(
      fmt::format("of the {} unanswered ones {} had reached the disk; none is there in part",
                  burst.unanswered(), found - burst.acknowledged()));
  FP_TRY(after, cluster_.session().expect(200, get(kDatabases)));
  if (!(after.get("items") == before.get("items"))) return wrong("the databases changed");
  page_.proved("the databases are equal to before, to the last field");
  FP_TRY(next, cluster_.session().expect(
                   200, merge_patch(kOrdersPath, R"({"metadata":{"labels":{"after":"crash"}}})")));
  if (revision_of(next) <= burst.last_revision()) return wrong("the revision went back");
  page_.proved(fmt::format("revisions went on: last acknowledged {}, next write {}",
                           burst.last_revision(), revision_of(next)));
  return {};
}

Result<void> Story::garbage() {
  page_.section("Garbage collection",
                "What belongs to a deleted object goes with it, over any number of levels. Here a\n"
                "secret belongs to a config map that belongs to the database.");
  FP_TRY(orders, cluster_.session().expect(200, get(kOrdersPath)));
  const auto owned = [](std::string_view name, std::string_view api, std::string_view kind,
                        json::View owner) {
    return fmt::format(
        R"({{"metadata":{{"name":"{}","ownerReferences":[{{"apiVersion":"{}","kind":"{}",)"
        R"("name":"{}","uid":"{}"}}]}}}})",
        name, api, kind, owner.get("metadata", "name").as_string(),
        owner.get("metadata", "uid").as_string());
  };
  FP_TRY(config, cluster_.session().expect(
                     201, post("/api/v1/namespaces/shop/configmaps",
                               owned("orders-config", "example.com/v1", "Database", orders))));
  FP_TRY(secret,
         cluster_.session().expect(201, post("/api/v1/namespaces/shop/secrets",
                                             owned("orders-login", "v1", "ConfigMap", config))));
  bool gone = false;
  const auto watching = cluster_.session().watch(
      get(fmt::format("/api/v1/namespaces/shop/secrets?watch=true&resourceVersion={}",
                      revision_of(secret))),
      [&](json::View event) { gone |= event.get("type").as_string() == "DELETED"; });
  page_.command("kubectl delete database orders -n shop");
  const auto begin = start_watch();
  FP_TRY_VOID(cluster_.session().expect(200, remove(kOrdersPath)));
  page_.text("database.example.com \"orders\" deleted");
  FP_TRY_VOID(stage_.wait("the secret's deletion", [&] { return gone; }));
  const double took = millis_since(begin);
  FP_TRY_VOID(
      cluster_.session().expect(404, get("/api/v1/namespaces/shop/configmaps/orders-config")));
  page_.proved(fmt::format("config map and secret followed within {:.1f} ms", took));
  return {};
}

Result<void> Story::namespace_deletion() {
  page_.section("The end of a namespace",
                "A namespace goes when everything in it is gone, and not before.");
  FP_TRY(list, cluster_.session().expect(200, get("/api/v1/namespaces/shop/configmaps")));
  const auto objects = list.get("items").size();
  bool gone = false;
  const auto watching = cluster_.session().watch(
      get(fmt::format("/api/v1/namespaces?watch=true&fieldSelector=metadata.name%3Dshop"
                      "&resourceVersion={}",
                      revision_of(list))),
      [&](json::View event) { gone |= event.get("type").as_string() == "DELETED"; });
  page_.command("kubectl delete namespace shop");
  const auto begin = start_watch();
  FP_TRY(answer, cluster_.session().expect(200, remove("/api/v1/namespaces/shop")));
  page_.text(fmt::format("namespace \"shop\" deleted   # now {}",
                         answer.get("status", "phase").as_string()));
  FP_TRY_VOID(stage_.wait("the namespace's end", [&] { return gone; }));
  const double took = millis_since(begin);
  FP_TRY(left, cluster_.session().expect(200, get("/api/v1/namespaces/shop/configmaps")));
  if (!left.get("items").empty()) return wrong("objects outlived their namespace");
  page_.proved(
      fmt::format("gone with its {} config maps and all else after {:.0f} ms", objects, took));
  page_.command("kubectl get namespaces");
  return show_table(cluster_.session(), page_, "/api/v1/namespaces");
}

}  // namespace fixpoint::cli::demo
