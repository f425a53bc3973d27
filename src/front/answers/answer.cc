// SPDX-License-Identifier: Apache-2.0
#include "front/answers/answer.h"

#include "json/draft.h"
#include "json/parsing/parse.h"
#include "json/print.h"
#include "json/yaml/yaml.h"
#include "net/gzip.h"

namespace fixpoint::front {
namespace {

// Kubernetes compresses from this size on; below it, time is worth more than bytes.
constexpr std::size_t kGzipBytesMin = std::size_t{128} << 10U;
// Printed at a time; large enough that the overhead per chunk does not matter.
constexpr std::size_t kListChunkBytes = std::size_t{64} << 10U;

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n' || c == '\r') {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string print(json::View body, const Wanted& wanted) {
  if (wanted.encoding == Encoding::Yaml) return json::to_yaml(body);
  if (wanted.pretty) return json::to_pretty_text(body);
  std::string text = json::to_text(body);
  text += '\n';
  return text;
}

std::string content_type(const Wanted& wanted) {
  return wanted.encoding == Encoding::Yaml ? "application/yaml" : "application/json";
}

void send_text(const std::shared_ptr<net::Exchange>& exchange, net::Headers headers,
               const Answer& answer, std::string text) {
  if (answer.response.code != 204) headers.set("content-type", content_type(answer.wanted));
  if (answer.gzip_accepted && text.size() >= kGzipBytesMin) {
    if (auto packed = net::gzip(text)) {
      headers.set("content-encoding", "gzip");
      headers.set("vary", "Accept-Encoding");
      text = *std::move(packed);
    }
  }
  exchange->respond(answer.response.code, std::move(headers), std::move(text));
}

std::string list_head(const apiserver::ListPage& page) {
  std::string text = R"({"kind":)";
  json::print_string(page.list_kind, text);
  text += R"(,"apiVersion":)";
  json::print_string(page.item_kind.group_version().api_version(), text);
  text += R"(,"metadata":)";
  json::Draft metadata{list_metadata(page)};
  // Lists without a type of their own always print it.
  if (page.items_carry_kind && page.continue_token.empty()) metadata["continue"] = "";
  const json::Value packed = metadata.freeze();
  json::print(packed, text);
  text += R"(,"items":[)";
  return text;
}

// A list on its way out; lives as long as its exchange asks for more.
struct ListStream {
  apiserver::ListPage page;
  apiserver::Resource resource;
  std::shared_ptr<net::Exchange> exchange;
  std::size_t next = 0;

  void write_some() {
    std::string text;
    if (next == 0) text = list_head(page);
    while (next < page.items.size() && text.size() < kListChunkBytes) {
      if (next > 0) text += ',';
      print_one(text);
      ++next;
    }
    const bool done = next == page.items.size();
    if (done) text += "]}\n";
    exchange->write(net::make_chunk(std::move(text)));
    if (done) exchange->end();
  }

  void print_one(std::string& text) {
    const json::Value item =
        apiserver::shown(resource, apiserver::in_version(resource, page.items[next]->body));
    print_item(item, page, text);
    page.items[next] = {};
  }
};

// Few items are cheaper whole: one header, one write, a length the client can trust.
constexpr std::size_t kWholeListItems = 64;

}  // namespace

net::Headers common_headers(std::string_view audit_id) {
  return {
      {"audit-id",               std::string{audit_id}},
      {"cache-control",          "no-cache, private"  },
      {"x-content-type-options", "nosniff"            }
  };
}

void add_warning(net::Headers& headers, std::string_view text) {
  if (!text.empty()) headers.add("warning", "299 - " + quoted(text));
}

void add_warnings(net::Headers& headers, const std::vector<std::string>& warnings) {
  for (const auto& warning : warnings) add_warning(headers, warning);
}

void print_item(json::View stored, const apiserver::ListPage& page, std::string& out) {
  if (page.items_carry_kind) {
    json::print(stored, out);
    return;
  }
  out += '{';
  bool first = true;
  for (const auto [key, value] : stored.members()) {
    if (key == "kind" || key == "apiVersion") continue;
    if (!first) out += ',';
    first = false;
    json::print_string(key, out);
    out += ':';
    json::print(value, out);
  }
  out += '}';
}

std::string list_text(const apiserver::ListPage& page, const apiserver::Resource& resource) {
  std::string text = list_head(page);
  for (std::size_t i = 0; i < page.items.size(); ++i) {
    if (i > 0) text += ',';
    const json::Value item =
        apiserver::shown(resource, apiserver::in_version(resource, page.items[i]->body));
    print_item(item, page, text);
  }
  text += "]}\n";
  return text;
}

void send(const std::shared_ptr<net::Exchange>& exchange, net::Headers headers, Answer answer,
          const std::optional<apiserver::Resource>& resource) {
  add_warnings(headers, answer.response.warnings);
  if (!answer.response.list) {
    send_text(exchange, std::move(headers), answer, print(answer.response.body, answer.wanted));
    return;
  }
  auto& page = *answer.response.list;
  const bool plain = answer.wanted.encoding == Encoding::Json && !answer.wanted.pretty;
  // A long list leaves as it is printed, uncompressed: packing it would hold all of it in memory
  // and the loop meanwhile.
  if (plain && page.items.size() > kWholeListItems) {
    headers.set("content-type", "application/json");
    exchange->start(200, std::move(headers), net::StreamKind::Finite);
    auto stream = std::make_shared<ListStream>(ListStream{std::move(page), *resource, exchange});
    exchange->on_drain([stream] { stream->write_some(); });
    return;
  }
  std::string text = list_text(page, *resource);
  if (!plain) {
    if (auto tree = json::parse(text)) text = print(*tree, answer.wanted);
  }
  send_text(exchange, std::move(headers), answer, std::move(text));
}

void send_status(const std::shared_ptr<net::Exchange>& exchange, net::Headers headers,
                 const kube::Status& status, const Wanted& wanted) {
  if (status.details && status.details->retry_after_seconds > 0) {
    headers.set("retry-after", std::to_string(status.details->retry_after_seconds));
  }
  const json::Value body = kube::to_json(status);
  headers.set("content-type", content_type(wanted));
  exchange->respond(status.code, std::move(headers), print(body, wanted));
}

json::Value list_metadata(const apiserver::ListPage& page) {
  json::Draft metadata = json::Draft::object();
  // What is not stored has no version.
  if (page.revision.value != 0) metadata["resourceVersion"] = std::to_string(page.revision.value);
  if (!page.continue_token.empty()) metadata["continue"] = page.continue_token;
  if (page.remaining_item_count) metadata["remainingItemCount"] = *page.remaining_item_count;
  return metadata.freeze();
}

}  // namespace fixpoint::front
