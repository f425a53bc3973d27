// SPDX-License-Identifier: Apache-2.0
#include "apiserver/body/options.h"

#include "apiserver/body/body_type.h"
#include "apiserver/body/decode.h"
#include "apiserver/body/media_type.h"
#include "json/parsing/go_parse.h"
#include "json/print.h"
#include "kinds/schema_table.h"
#include "kube/errors/error_words.h"
#include "kube/go/text.h"
#include "kube/meta/validate_metadata.h"
#include "kube/typed/typed.h"

#include <algorithm>
#include <charconv>
#include <expected>
#include <type_traits>

namespace fixpoint::apiserver {
namespace {

using kube::Answer;
using kube::FieldErrors;
using kube::FieldPath;
using kube::Status;

Status invalid_options(std::string_view kind, const FieldErrors& errors) {
  return kube::invalid({"meta.k8s.io", std::string{kind}}, "", errors);
}

// Go's strconv.ParseInt and ParseUint in base 10; the error is their sentence.
template <class Number>
std::expected<Number, std::string> go_number(std::string_view function, std::string_view text) {
  std::string_view digits = text;
  if (std::is_signed_v<Number> && digits.starts_with('+') && !digits.starts_with("+-")) {
    digits.remove_prefix(1);
  }
  Number value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size();
  if (error == std::errc{} && whole) return value;
  const bool too_large = error == std::errc::result_out_of_range && whole;
  return std::unexpected("strconv." + std::string{function} + ": parsing " + kube::shown(text) +
                         (too_large ? ": value out of range" : ": invalid syntax"));
}

std::optional<bool> bool_parameter(const Request& request, std::string_view key) {
  const auto value = request.given(key);
  return value ? std::optional{query_truth(*value)} : std::nullopt;
}

std::vector<std::string_view> all_values(const Request& request, std::string_view key) {
  std::vector<std::string_view> values;
  for (const auto& [name, value] : request.query) {
    if (name == key) values.push_back(value);
  }
  return values;
}

// dryRun is a list whose only known member is "All".
void check_dry_run(const std::vector<std::string_view>& values, bool& dry_run,
                   FieldErrors& errors) {
  bool known = true;
  for (const auto value : values) {
    known = known && value == "All";
    dry_run = true;
  }
  if (known) return;
  std::string shown = "[";
  for (const auto value : values) {
    if (shown.size() > 1) shown += ',';
    json::print_string(value, shown);
  }
  shown += "]";
  errors.push_back({kube::FieldErrorKind::NotSupported, "dryRun", std::move(shown),
                    "supported values: \"All\""});
}

FieldValidation check_validation(std::string_view text, FieldErrors& errors) {
  if (text.empty() || text == "Warn") return FieldValidation::Warn;
  if (text == "Ignore") return FieldValidation::Ignore;
  if (text == "Strict") return FieldValidation::Strict;
  const auto given = json::Value::string(text);
  errors.push_back(
      kube::not_supported(FieldPath{"fieldValidation"}, given, {"", "Ignore", "Strict", "Warn"}));
  return FieldValidation::Warn;
}

constexpr std::string_view kNoTypeMeta = "couldn't get version/kind; json parse error: ";

// A DeleteOptions body of the wrong shape is a 500 without a reason: the decoder's own words.
Status undecodable_options(std::string message) {
  return kube::unreasoned(500, std::move(message));
}

// The body as its type holds it, or the decoder's sentence about it.
const kube::Schema& delete_schema() {
  const kube::Schema* schema = kinds::find_schema({"", "v1", "DeleteOptions"});
  FP_CHECK(schema != nullptr);
  return *schema;
}

Result<json::Value> typed_delete_body(const json::Value& body) {
  if (auto problem = type_meta_problem(body)) return fail(ErrorKind::Invalid, *problem);
  const auto kind = body.get("kind").as_string();
  const auto version = body.get("apiVersion").as_string();
  if (std::ranges::count(version, '/') > 1) {
    return fail(ErrorKind::Invalid, "unexpected GroupVersion string: " + std::string{version});
  }
  if (!kind.empty() && kind != "DeleteOptions") {
    const std::string_view meant = version.empty() ? "meta.k8s.io/v1" : version;
    return fail(ErrorKind::Invalid, "no kind " + kube::go_quoted(kind) +
                                        " is registered for version " + kube::go_quoted(meant) +
                                        " in scheme \"pkg/runtime/scheme.go:110\"");
  }
  FP_TRY(typed, kube::decode_typed(delete_schema(), body));
  return std::move(typed.value);
}

// Well-formed text with a number that no float holds: wrong only where it is read.
Result<json::Value> read_delete_text(std::string_view text) {
  auto meta = read_type_meta(text);
  if (!meta) {
    return fail(ErrorKind::Invalid, std::string{kNoTypeMeta} + std::move(meta).error().message);
  }
  if (auto typed = typed_delete_body(*meta); !typed) return typed;
  FP_TRY(typed, kube::decode_typed_text(delete_schema(), text));
  return std::move(typed.value);
}

Answer<json::Value> parse_delete_body(const Request& request) {
  if (media_type(request.content_type) > MediaType::Protobuf) {
    return std::unexpected(unknown_format(true));
  }
  auto value = parse_unchecked(request, {"", "v1", "DeleteOptions"});
  if (value) return *std::move(value);
  const auto type = media_type(request.content_type);
  const bool json = type != MediaType::Yaml && type != MediaType::Protobuf;
  if (json && json::go_check(request.body)) {
    value = read_delete_text(request.body);
    if (value) return *std::move(value);
    return std::unexpected(undecodable_options(value.error().message));
  }
  return std::unexpected(undecodable_options((json ? std::string{kNoTypeMeta} : std::string{}) +
                                             value.error().message));
}

std::optional<Propagation> propagation_named(std::string_view text) {
  if (text == "Orphan") return Propagation::Orphan;
  if (text == "Background") return Propagation::Background;
  if (text == "Foreground") return Propagation::Foreground;
  return std::nullopt;
}

void check_propagation(std::optional<std::string_view> policy, std::optional<bool> orphan,
                       Propagation& propagation, FieldErrors& errors) {
  const FieldPath path{"propagationPolicy"};
  if (!policy) {
    if (orphan) propagation = *orphan ? Propagation::Orphan : Propagation::Background;
    return;
  }
  const auto value = json::Value::string(*policy);
  if (orphan) {
    errors.push_back(kube::invalid(path, value.view(),
                                   "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (const auto named = propagation_named(*policy)) {
    propagation = *named;
  } else {
    errors.push_back(
        kube::not_supported(path, value.view(), {"Foreground", "Background", "Orphan", "nil"}));
  }
  kube::word_by_type(delete_schema(), errors);
}

void read_delete_object(json::View view, DeleteOptions& options, FieldErrors& errors) {
  const json::View grace = view.get("gracePeriodSeconds");
  if (grace.is_int()) options.grace_seconds = grace.as_int();
  const json::View policy = view.get("propagationPolicy");
  const json::View orphan = view.get("orphanDependents");
  check_propagation(policy.is_string() ? std::optional{policy.as_string()} : std::nullopt,
                    orphan.is_bool() ? std::optional{orphan.as_bool()} : std::nullopt,
                    options.propagation, errors);
  options.cascade_asked = orphan.is_bool() && !orphan.as_bool();
  std::vector<std::string_view> dry_run;
  for (const json::View value : view.get("dryRun").elements()) dry_run.push_back(value.as_string());
  check_dry_run(dry_run, options.dry_run, errors);
  const json::View preconditions = view.get("preconditions");
  if (const auto uid = preconditions.get("uid"); uid.is_string()) {
    options.uid = std::string{uid.as_string()};
  }
  if (const auto version = preconditions.get("resourceVersion"); version.is_string()) {
    options.resource_version = std::string{version.as_string()};
  }
}

Answer<void> read_delete_body(const Request& request, DeleteOptions& options, FieldErrors& errors) {
  auto parsed = parse_delete_body(request);
  if (!parsed) return std::unexpected(parsed.error());
  auto body = typed_delete_body(*parsed);
  if (!body) return std::unexpected(undecodable_options(body.error().message));
  read_delete_object(*body, options, errors);
  return {};
}

Answer<void> read_delete_query(const Request& request, DeleteOptions& options,
                               FieldErrors& errors) {
  auto grace = parse_int_parameter(request, "gracePeriodSeconds");
  if (!grace) return std::unexpected(grace.error());
  options.grace_seconds = *grace;
  const auto orphan = bool_parameter(request, "orphanDependents");
  check_propagation(request.given("propagationPolicy"), orphan, options.propagation, errors);
  options.cascade_asked = orphan == false;
  check_dry_run(all_values(request, "dryRun"), options.dry_run, errors);
  // The preconditions lie flat in a query.
  if (const auto uid = request.given("uid")) options.uid = std::string{*uid};
  if (const auto version = request.given("resourceVersion")) {
    options.resource_version = std::string{*version};
  }
  return {};
}

void check_watch_match(std::string_view match, const ListOptions& options, FieldErrors& errors) {
  const FieldPath path{"resourceVersionMatch"};
  const bool not_older = options.match == VersionMatch::NotOlderThan;
  if (options.send_initial_events && !not_older) {
    errors.push_back(kube::forbidden(
        path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (match.empty()) return;
  if (!options.send_initial_events) {
    errors.push_back(kube::forbidden(
        path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (!not_older) {
    const auto given = json::Value::string(match);
    errors.push_back(kube::not_supported(path, given, {"NotOlderThan"}));
  }
  if (!options.continue_token.empty()) {
    errors.push_back(
        kube::forbidden(path, "resourceVersionMatch is forbidden when continue is provided"));
  }
}

void check_list_match(std::string_view match, const ListOptions& options, FieldErrors& errors) {
  const FieldPath path{"resourceVersionMatch"};
  if (match.empty()) return;
  if (options.resource_version.empty()) {
    errors.push_back(kube::forbidden(
        path, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
  }
  if (!options.continue_token.empty()) {
    errors.push_back(
        kube::forbidden(path, "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (options.match == VersionMatch::Unset) {
    const auto given = json::Value::string(match);
    errors.push_back(kube::not_supported(path, given, {"Exact", "NotOlderThan", ""}));
  }
  if (options.match == VersionMatch::Exact && options.resource_version == "0") {
    errors.push_back(kube::forbidden(
        path, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
  }
}

void check_match(const Request& request, ListOptions& options, FieldErrors& errors) {
  std::string_view match = request.parameter("resourceVersionMatch");
  // The old form of a path makes a watch of what the options call a list.
  const bool watch =
      request.verb == Verb::Watch && query_truth(request.given("watch").value_or(""));
  const bool from_start = options.resource_version.empty() || options.resource_version == "0";
  if (watch && from_start && match.empty() && !options.send_initial_events) {
    options.send_initial_events = true;
    match = "NotOlderThan";
  }
  if (match == "Exact") options.match = VersionMatch::Exact;
  if (match == "NotOlderThan") options.match = VersionMatch::NotOlderThan;
  if (watch) return check_watch_match(match, options, errors);
  check_list_match(match, options, errors);
  if (options.send_initial_events) {
    errors.push_back(
        kube::forbidden(FieldPath{"sendInitialEvents"}, "sendInitialEvents is forbidden for list"));
  }
}

}  // namespace

std::string WriteOptions::manager(const Request& request) const {
  if (!field_manager.empty()) return field_manager;
  // The program's name: what stands before the first slash of the user agent.
  std::string name = request.user_agent.substr(0, request.user_agent.find('/'));
  std::erase_if(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  constexpr std::size_t kManagerBytesMax = 128;
  if (name.size() > kManagerBytesMax) name.resize(kManagerBytesMax);
  return name;
}

kube::Answer<WriteOptions> parse_write_options(const Request& request, std::string_view kind) {
  WriteOptions options;
  FieldErrors errors;
  options.field_manager = std::string{request.parameter("fieldManager")};
  const bool apply = media_type(request.content_type) == MediaType::ApplyPatch;
  if (kind == "PatchOptions") {
    if (apply && options.field_manager.empty()) {
      errors.push_back(kube::required(FieldPath{"fieldManager"}, "is required for apply patch"));
    }
    if (const auto force = bool_parameter(request, "force")) {
      options.force = *force;
      if (!apply) {
        errors.push_back(
            kube::forbidden(FieldPath{"force"}, "may not be specified for non-apply patch"));
      }
    }
  }
  kube::append(errors,
               kube::validate_field_manager(options.field_manager, FieldPath{"fieldManager"}));
  check_dry_run(all_values(request, "dryRun"), options.dry_run, errors);
  options.validation = check_validation(request.parameter("fieldValidation"), errors);
  if (!errors.empty()) return std::unexpected(invalid_options(kind, errors));
  return options;
}

kube::Answer<DeleteOptions> parse_delete_options(const Request& request) {
  DeleteOptions options;
  FieldErrors errors;
  auto read = request.body.empty() ? read_delete_query(request, options, errors)
                                   : read_delete_body(request, options, errors);
  if (!read) return std::unexpected(read.error());
  if (!errors.empty()) return std::unexpected(invalid_options("DeleteOptions", errors));
  return options;
}

kube::Answer<DeleteOptions> delete_options_in(json::View object) {
  DeleteOptions options;
  FieldErrors errors;
  read_delete_object(object, options, errors);
  if (!errors.empty()) return std::unexpected(invalid_options("DeleteOptions", errors));
  return options;
}

kube::Answer<ListOptions> parse_list_options(const Request& request) {
  ListOptions options;
  auto labels = kube::LabelSelector::parse(request.parameter("labelSelector"));
  if (!labels) return std::unexpected(kube::bad_request(labels.error().message));
  options.labels = *std::move(labels);
  auto fields = kube::FieldSelector::parse(request.parameter("fieldSelector"));
  if (!fields) return std::unexpected(kube::bad_request(fields.error().message));
  options.fields = *std::move(fields);
  auto limit = parse_int_parameter(request, "limit");
  if (!limit) return std::unexpected(limit.error());
  options.limit = std::max<std::int64_t>(0, limit->value_or(0));
  auto timeout = parse_int_parameter(request, "timeoutSeconds");
  if (!timeout) return std::unexpected(timeout.error());
  options.timeout_seconds = *timeout;
  options.continue_token = std::string{request.parameter("continue")};
  options.resource_version = std::string{request.parameter("resourceVersion")};
  options.bookmarks = bool_parameter(request, "allowWatchBookmarks").value_or(false);
  options.send_initial_events = bool_parameter(request, "sendInitialEvents");
  FieldErrors errors;
  check_match(request, options, errors);
  if (!errors.empty()) return std::unexpected(invalid_options("ListOptions", errors));
  return options;
}

kube::Answer<std::optional<std::int64_t>> parse_int_parameter(const Request& request,
                                                              std::string_view key) {
  const auto text = request.given(key);
  if (!text) return std::nullopt;
  auto value = go_number<std::int64_t>("ParseInt", *text);
  if (!value) return std::unexpected(kube::bad_request(value.error()));
  return *value;
}

kube::Answer<std::vector<std::uint16_t>> parse_ports(const Query& query) {
  std::vector<std::uint16_t> ports;
  for (const auto& [key, value] : query) {
    if (key != "ports") continue;
    for (std::size_t at = 0; at <= value.size();) {
      const auto end = std::min(value.find(',', at), value.size());
      const auto port =
          go_number<std::uint16_t>("ParseUint", std::string_view(value).substr(at, end - at));
      if (!port) {
        return std::unexpected(kube::bad_request("cannot convert to []int32: " + port.error()));
      }
      ports.push_back(*port);
      at = end + 1;
    }
  }
  return ports;
}

kube::Answer<store::Revision> parse_list_revision(std::string_view text) {
  if (text.empty()) return store::Revision{0};
  auto value = go_number<std::uint64_t>("ParseUint", text);
  if (value) return store::Revision{*value};
  return std::unexpected(kube::unreasoned(
      500, "resourceVersion: Invalid value: " + kube::shown(text) + ": " + value.error()));
}

}  // namespace fixpoint::apiserver
