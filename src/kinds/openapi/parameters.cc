// SPDX-License-Identifier: Apache-2.0
#include "kinds/openapi/parameters.h"

#include "kinds/openapi/schemas.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace fixpoint::kinds {
namespace {

constexpr Parameter kDryRun{"dryRun", "query", "string", "",
                            "All: do everything but keep the change."};
constexpr Parameter kFieldManager{"fieldManager", "query", "string", "fieldManager-Qy4HdaTW",
                                  "Who makes the change, for the ownership of fields."};
constexpr Parameter kPatchFieldManager{
    "fieldManager", "query", "string", "fieldManager-7c6nTn1T",
    "Who makes the change, for the ownership of fields. Needed for apply."};
constexpr Parameter kFieldValidation{
    "fieldValidation", "query", "string", "",
    "What to do about unknown and duplicate fields: Ignore, Warn or Strict."};
constexpr Parameter kForce{"force", "query", "boolean", "force-tOGGb0Yi",
                           "Take over fields that other managers own. Apply only."};
constexpr Parameter kGracePeriod{"gracePeriodSeconds", "query", "integer",
                                 "gracePeriodSeconds--K5HaBOS", "How long the object has to go."};
constexpr Parameter kIgnoreUnreadable{"ignoreStoreReadErrorWithClusterBreakingPotential", "query",
                                      "boolean",
                                      "ignoreStoreReadErrorWithClusterBreakingPotential-QbNkfIqj",
                                      "Delete even what cannot be read any more. Dangerous."};
constexpr Parameter kOrphan{"orphanDependents", "query", "boolean", "orphanDependents-uRB25kX5",
                            "Deprecated: use propagationPolicy."};
constexpr Parameter kPropagation{"propagationPolicy", "query", "string",
                                 "propagationPolicy-6jk3prlO",
                                 "What happens to dependents: Orphan, Background or Foreground."};
constexpr Parameter kBookmarks{"allowWatchBookmarks", "query", "boolean",
                               "allowWatchBookmarks-HC2hJt-J",
                               "Whether a watch may send bookmarks."};
constexpr Parameter kContinue{"continue", "query", "string", "continue-QfD61s0i",
                              "Where the page before ended."};
constexpr Parameter kFieldSelector{"fieldSelector", "query", "string", "fieldSelector-xIcQKXFG",
                                   "Choose by fields."};
constexpr Parameter kLabelSelector{"labelSelector", "query", "string", "labelSelector-5Zw57w4C",
                                   "Choose by labels."};
constexpr Parameter kLimit{"limit", "query", "integer", "limit-1NfNmdNH", "Objects per page."};
constexpr Parameter kResourceVersion{"resourceVersion", "query", "string",
                                     "resourceVersion-5WAnf1kx",
                                     "How old the answer may be, or where a watch begins."};
constexpr Parameter kVersionMatch{"resourceVersionMatch", "query", "string",
                                  "resourceVersionMatch-t8XhRHeC", "How resourceVersion is meant."};
constexpr Parameter kInitialEvents{"sendInitialEvents", "query", "boolean",
                                   "sendInitialEvents-rLXlEK_k",
                                   "Begin a watch with what is there."};
constexpr Parameter kTimeout{"timeoutSeconds", "query", "integer", "timeoutSeconds-yvYezaOC",
                             "How long the call may take."};
constexpr Parameter kWatch{"watch", "query", "boolean", "watch-XNNPZGbK",
                           "Stream changes instead of answering once."};
constexpr Parameter kPretty{"pretty", "query", "string", "pretty-tJGM1-ng",
                            "true: print for people."};
constexpr Parameter kName{"name", "path", "string", "", "Name of the object."};
constexpr Parameter kNamespace{"namespace", "path", "string", "namespace-vgWSWtn3",
                               "The namespace."};
constexpr Parameter kPath{"path", "path", "string", "path-z6Ciiujn", "The path behind the proxy."};

constexpr Parameter kReadCustom[] = {kResourceVersion};
constexpr Parameter kCreate[] = {kDryRun, kFieldManager, kFieldValidation};
constexpr Parameter kPatch[] = {kDryRun, kPatchFieldManager, kFieldValidation, kForce};
constexpr Parameter kDelete[] = {kDryRun, kGracePeriod, kIgnoreUnreadable, kOrphan, kPropagation};
constexpr Parameter kList[] = {
    kBookmarks,       kContinue,     kFieldSelector, kLabelSelector, kLimit,
    kResourceVersion, kVersionMatch, kInitialEvents, kTimeout,       kWatch};
constexpr Parameter kDeleteCollection[] = {
    kContinue,      kDryRun,        kFieldSelector, kGracePeriod, kIgnoreUnreadable,
    kLabelSelector, kLimit,         kOrphan,        kPropagation, kResourceVersion,
    kVersionMatch,  kInitialEvents, kTimeout};

constexpr Parameter kAttach[] = {
    {"container", "query", "string",  "container-_Q-EJ3nR",
     "The container; the only one if absent."                                            },
    {"stderr",    "query", "boolean", "stderr-26jJhFUR",    "Attach the standard error." },
    {"stdin",     "query", "boolean", "stdin-sEFnN3IS",     "Attach the standard input." },
    {"stdout",    "query", "boolean", "stdout-005YMKE6",    "Attach the standard output."},
    {"tty",       "query", "boolean", "tty-g7MlET_l",       "Attach a terminal."         },
};
constexpr Parameter kExec[] = {
    {"command",   "query", "string",  "command-Py3eQybp",   "The command, one argument each."},
    {"container", "query", "string",  "container-i5dOmRiM",
     "The container; the only one if absent."                                                },
    {"stderr",    "query", "boolean", "stderr-W_1TNlWc",    "Connect the standard error."    },
    {"stdin",     "query", "boolean", "stdin-PSzNhyUC",     "Connect the standard input."    },
    {"stdout",    "query", "boolean", "stdout--EZLRwV1",    "Connect the standard output."   },
    {"tty",       "query", "boolean", "tty-s0flW37O",       "Run it in a terminal."          },
};
constexpr Parameter kForward[] = {
    {"ports", "query", "integer", "ports-91KROJmm", "The ports to forward."},
};
constexpr Parameter kPodProxy[] = {
    {"path", "query", "string", "path-oPbzgLUj", "The path to ask the pod for."},
};
constexpr Parameter kServiceProxy[] = {
    {"path", "query", "string", "path-QCf0eosM", "The path to ask the service for."},
};
constexpr Parameter kNodeProxy[] = {
    {"path", "query", "string", "path-rFDtV0x9", "The path to ask the node for."},
};
constexpr Parameter kLog[] = {
    {"container",                    "query", "string",  "container-1GeXxFDC",
     "The container; the only one if absent."                                                                                        },
    {"follow",                       "query", "boolean", "follow-9OIXh_2R",                       "Go on as more is written."        },
    {"insecureSkipTLSVerifyBackend", "query", "boolean", "insecureSkipTLSVerifyBackend-gM00jVbe",
     "Do not check the certificate of the node."                                                                                     },
    {"limitBytes",                   "query", "integer", "limitBytes-zwd1RXuc",                   "The most to send."                },
    {"previous",                     "query", "boolean", "previous-1jxDPu3y",                     "Of the container that ran before."},
    {"sinceSeconds",                 "query", "integer", "sinceSeconds-vE2NLdnP",                 "Only what is younger."            },
    {"stream",                       "query", "string",  "stream-l-48cgXv",                       "All, Stdout or Stderr."           },
    {"tailLines",                    "query", "integer", "tailLines-9xQLWHMV",                    "Only so many last lines."         },
    {"timestamps",                   "query", "boolean", "timestamps-c17fW1w_",                   "Begin each line with its time."   },
};

struct Connection {
  std::string_view options;
  std::span<const Parameter> parameters;
};
constexpr Connection kConnections[] = {
    {"NodeProxyOptions",      kNodeProxy   },
    {"PodAttachOptions",      kAttach      },
    {"PodExecOptions",        kExec        },
    {"PodPortForwardOptions", kForward     },
    {"PodProxyOptions",       kPodProxy    },
    {"ServiceProxyOptions",   kServiceProxy},
};

// Bodies that are the same for many kinds are shared as well.
struct SharedBody {
  std::string_view definition;
  std::string_view shared;
  bool required;
};
constexpr SharedBody kSharedBodies[] = {
    {"io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", "body-2Y1dVQaQ", false},
    {"io.k8s.apimachinery.pkg.apis.meta.v1.Patch",         "body-78PwaGsr", true },
};

void write_type(std::string_view type, OpenApi version, JsonText& to) {
  if (version == OpenApi::V3) to.key("schema").open();
  to.member("type", type).key("uniqueItems").boolean(true);
  if (version == OpenApi::V3) to.close();
}

void write_parameter(const Parameter& parameter, OpenApi version, JsonText& to) {
  to.open()
      .member("name", parameter.name)
      .member("in", parameter.in)
      .member("description", parameter.description);
  if (parameter.in == "path") to.key("required").boolean(true);
  write_type(parameter.type, version, to);
  to.close();
}

void write_body(std::string_view definition, bool required, JsonText& to) {
  to.open().member("name", "body").member("in", "body");
  if (required) to.key("required").boolean(true);
  to.key("schema").open().member("$ref", reference_to(definition, OpenApi::V2)).close().close();
}

std::string_view shared_name(const Given& given) {
  if (given.parameter != nullptr) return given.parameter->shared;
  const auto found = std::ranges::find(kSharedBodies, given.body, &SharedBody::definition);
  return found == std::end(kSharedBodies) ? std::string_view{} : found->shared;
}

}  // namespace

std::span<const Parameter> read_parameters_of_custom() {
  return kReadCustom;
}
std::span<const Parameter> list_parameters() {
  return kList;
}
std::span<const Parameter> create_parameters() {
  return kCreate;
}
std::span<const Parameter> patch_parameters() {
  return kPatch;
}
std::span<const Parameter> delete_parameters() {
  return kDelete;
}
std::span<const Parameter> delete_collection_parameters() {
  return kDeleteCollection;
}
std::span<const Parameter> log_parameters() {
  return kLog;
}

std::span<const Parameter> connect_parameters(std::string_view options) {
  const auto found = std::ranges::find(kConnections, options, &Connection::options);
  return found == std::end(kConnections) ? std::span<const Parameter>{} : found->parameters;
}

const Parameter& name_parameter() {
  return kName;
}
const Parameter& namespace_parameter() {
  return kNamespace;
}
const Parameter& path_parameter() {
  return kPath;
}
const Parameter& pretty_parameter() {
  return kPretty;
}

void sort_given(std::vector<Given>& given) {
  std::ranges::sort(given, {},
                    [](const Given& each) { return std::tuple{each.name(), each.in()}; });
}

void write_given(const Given& given, OpenApi version, JsonText& to) {
  const auto shared = shared_name(given);
  if (version == OpenApi::V2 && !shared.empty()) {
    to.open().member("$ref", "#/parameters/" + std::string{shared}).close();
  } else if (given.parameter != nullptr) {
    write_parameter(*given.parameter, version, to);
  } else {
    write_body(given.body, given.required, to);
  }
}

void write_shared_parameters(JsonText& to) {
  std::map<std::string_view, const Parameter*> shared;
  const auto add = [&](std::span<const Parameter> parameters) {
    for (const auto& each : parameters) {
      if (!each.shared.empty()) shared[each.shared] = &each;
    }
  };
  for (const auto parameters :
       {std::span<const Parameter>{kCreate}, {kPatch}, {kDelete}, {kList}, {kLog}}) {
    add(parameters);
  }
  for (const auto& connection : kConnections) add(connection.parameters);
  for (const auto* each : {&kNamespace, &kPath, &kPretty}) shared[each->shared] = each;
  for (const auto& body : kSharedBodies) {
    to.key(body.shared);
    write_body(body.definition, body.required, to);
  }
  for (const auto& [name, parameter] : shared) {
    to.key(name);
    write_parameter(*parameter, OpenApi::V2, to);
  }
}

}  // namespace fixpoint::kinds
