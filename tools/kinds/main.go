// SPDX-License-Identifier: Apache-2.0
//
// Writes src/kinds/tables/*.inc: the shape of every built-in type, as compact rows.
//
// Two sources are joined. The Go types (by reflection) say what decoding does: field order, Go kinds,
// omitempty, pointers, patch tags, protobuf field numbers. A running API server's published OpenAPI v3
// says what is declared: required fields, list and map types, list keys, defaults, formats,
// enumerations. Names and types are facts; no description is copied. Run at development time only, the
// output is checked in:
//
//	go mod tidy && go run . -openapi DIR -out ../../src/kinds/tables
//
// DIR holds one file per group version, each the answer of `kubectl get --raw /openapi/v3/<path>`.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strconv"
	"strings"

	"fixpoint/tools/kinds/roots"
)

// One property (or definition) of the published OpenAPI; only what the tables keep.
type openAPI struct {
	Ref        string              `json:"$ref"`
	Type       string              `json:"type"`
	Format     string              `json:"format"`
	Required   []string            `json:"required"`
	Properties map[string]*openAPI `json:"properties"`
	Items      *openAPI            `json:"items"`
	Values     *openAPI            `json:"additionalProperties"`
	Default    json.RawMessage     `json:"default"`
	Enum       []any               `json:"enum"`
	ListType   string              `json:"x-kubernetes-list-type"`
	ListKeys   []string            `json:"x-kubernetes-list-map-keys"`
	MapType    string              `json:"x-kubernetes-map-type"`
	Unions     []union             `json:"x-kubernetes-unions"`
}

// A member that says which one of others is there. Their values are the members' names in Go.
type union struct {
	Discriminator string            `json:"discriminator"`
	Members       map[string]string `json:"fields-to-discriminateBy"`
}

type generator struct {
	published map[string]*openAPI
	rows      map[string]map[string]string // package alias -> type name -> rows
	keys      map[string]bool              // "core.v1.Container name": a field that identifies list items
	seen      map[reflect.Type]bool
	queue     []reflect.Type
}

func main() {
	openapiDir := flag.String("openapi", "", "directory of published OpenAPI v3 documents")
	out := flag.String("out", "", "directory to write *.inc files to")
	flag.Parse()

	g := &generator{
		published: load(*openapiDir),
		rows:      map[string]map[string]string{},
		keys:      map[string]bool{},
		seen:      map[reflect.Type]bool{},
	}
	for _, root := range append(roots.All(), roots.Documents()...) {
		g.want(reflect.TypeOf(root))
	}
	for len(g.queue) > 0 {
		t := g.queue[0]
		g.queue = g.queue[1:]
		g.describe(t)
	}
	g.write(*out)
}

func load(dir string) map[string]*openAPI {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		log.Fatalf("no OpenAPI documents in %q", dir)
	}
	all := map[string]*openAPI{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		var document struct {
			Components struct {
				Schemas map[string]*openAPI `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal(text, &document); err != nil {
			log.Fatalf("%s: %v", file, err)
		}
		for name, schema := range document.Components.Schemas {
			all[name] = schema
		}
	}
	return all
}

func (g *generator) want(t reflect.Type) {
	if !g.seen[t] {
		g.seen[t] = true
		g.queue = append(g.queue, t)
	}
}

// "core.v1" for k8s.io/api/core/v1: how tables name a package.
func alias(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return parts[len(parts)-2] + "." + parts[len(parts)-1]
}

// "io.k8s.api.core.v1.Pod": how OpenAPI names a type.
func definition(t reflect.Type) string {
	path := strings.TrimPrefix(t.PkgPath(), "k8s.io/")
	return "io.k8s." + strings.ReplaceAll(path, "/", ".") + "." + t.Name()
}

// One type: a head row with what concerns the whole, then a row per field in Go's order.
func (g *generator) describe(t reflect.Type) {
	schema := g.published[definition(t)]
	if schema == nil {
		schema = &openAPI{}
	}
	var text strings.Builder
	text.WriteString(head(schema))
	g.fields(t, schema, "", &text)
	name := alias(t)
	if g.rows[name] == nil {
		g.rows[name] = map[string]string{}
	}
	g.rows[name][t.Name()] = text.String()
}

// "! map=atomic union=type:exempt,limited", or nothing.
func head(schema *openAPI) string {
	text := ""
	if schema.MapType != "" {
		text += " map=" + schema.MapType
	}
	for _, union := range schema.Unions {
		var members []string
		for member := range union.Members {
			members = append(members, member)
		}
		sort.Strings(members)
		text += " union=" + union.Discriminator + ":" + strings.Join(members, ",")
	}
	if text == "" {
		return ""
	}
	return "!" + text + "\n"
}

// What stands for an embedded struct that no message holds: the envelope carries a TypeMeta.
const notInMessage = "none"

// outer is the path of field numbers to the message that holds an embedded struct's fields: "", "2".
func (g *generator) fields(t reflect.Type, schema *openAPI, outer string, text *strings.Builder) {
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		tag := strings.Split(field.Tag.Get("json"), ",")
		if field.Anonymous && tag[0] == "" {
			inner := fieldNumbers(field, outer)
			if inner == "" {
				inner = notInMessage
			}
			g.fields(field.Type, schema, inner, text)
			continue
		}
		if tag[0] == "-" || tag[0] == "" || !field.IsExported() {
			continue
		}
		text.WriteString(g.field(field, tag, schema, outer))
	}
}

// The number in a tag such as `bytes,2,opt,name=spec`.
func fieldNumber(field reflect.StructField) string {
	tag := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(tag) < 2 {
		return ""
	}
	switch tag[0] {
	case "bytes", "varint", "fixed64":
	default:
		log.Fatalf("%s: the reader knows no wire type %q", field.Name, tag[0])
	}
	if number, err := strconv.ParseUint(tag[1], 10, 8); err != nil || number == 0 {
		log.Fatalf("%s: the reader keeps field numbers in a byte, not %s", field.Name, tag[1])
	}
	return tag[1]
}

// "6", or "2.6" for field 6 of the message that is field 2; "" when protobuf does not carry it.
func fieldNumbers(field reflect.StructField, outer string) string {
	number := fieldNumber(field)
	if number == "" || outer == notInMessage {
		return ""
	}
	if strings.Count(outer, ".") > 1 {
		log.Fatalf("%s: the reader goes three messages deep", field.Name)
	}
	return strings.TrimPrefix(outer+"."+number, ".")
}

func (g *generator) field(field reflect.StructField, tag []string, schema *openAPI, outer string) string {
	name := tag[0]
	declared := schema.Properties[name]
	if declared == nil {
		declared = &openAPI{}
	}
	flags := ""
	for _, option := range tag[1:] {
		switch option {
		case "omitempty":
			flags += "o"
		case "omitzero":
			flags += "z"
		}
	}
	if field.Type.Kind() == reflect.Pointer {
		flags += "p"
	}
	for _, required := range schema.Required {
		if required == name {
			flags += "r"
		}
	}
	flags += fieldNumbers(field, outer)
	if flags == "" {
		flags = "-"
	}
	typeName := g.typeName(field.Type)
	for _, key := range declared.ListKeys {
		item := typeName[strings.Index(typeName, "[]")+2:]
		g.keys[item+" "+key] = true
	}
	words := []string{name, typeName, flags}
	words = append(words, attributes(declared)...)
	words = append(words, patch(field)...)
	return strings.Join(words, " ") + "\n"
}

func attributes(declared *openAPI) []string {
	var words []string
	if declared.Ref != "" {
		words = append(words, "bare")
	}
	if declared.ListType != "" {
		word := "list=" + declared.ListType
		if len(declared.ListKeys) > 0 {
			word += ":" + strings.Join(declared.ListKeys, ",")
		}
		words = append(words, word)
	}
	if declared.MapType != "" {
		words = append(words, "map="+declared.MapType)
	}
	if len(declared.Default) > 0 && string(declared.Default) != "{}" {
		words = append(words, "def="+string(declared.Default))
	}
	if declared.Format != "" && declared.Format != "int32" && declared.Format != "int64" {
		words = append(words, "fmt="+declared.Format)
	}
	for _, enum := range [][]any{declared.Enum, itemEnum(declared)} {
		if len(enum) > 0 {
			var values []string
			for _, value := range enum {
				values = append(values, strings.ReplaceAll(fmt.Sprint(value), " ", "_"))
			}
			words = append(words, "enum="+strings.Join(values, ","))
		}
	}
	return words
}

func itemEnum(declared *openAPI) []any {
	if declared.Items != nil {
		return declared.Items.Enum
	}
	if declared.Values != nil {
		return declared.Values.Enum
	}
	return nil
}

func patch(field reflect.StructField) []string {
	var words []string
	for _, strategy := range strings.Split(field.Tag.Get("patchStrategy"), ",") {
		switch strategy {
		case "merge":
			words = append(words, "merge="+field.Tag.Get("patchMergeKey"))
		case "retainKeys", "replace":
			words = append(words, strings.TrimSuffix(strategy, "Keys"))
		}
	}
	return words
}

// The type of a field: a word for what decodes by itself, []T, map[K]T, or alias.Name of a struct.
// A named basic type is followed by "=" and its Go name, a named slice or map has its name and ":" in
// front: decode errors show them.
func (g *generator) typeName(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.PkgPath() + "." + t.Name() {
	case "k8s.io/apimachinery/pkg/apis/meta/v1.Time":
		return "time"
	case "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":
		return "microtime"
	case "k8s.io/apimachinery/pkg/apis/meta/v1.Duration":
		return "duration"
	case "k8s.io/apimachinery/pkg/api/resource.Quantity":
		return "quantity"
	case "k8s.io/apimachinery/pkg/util/intstr.IntOrString":
		return "int-or-string"
	case "k8s.io/apimachinery/pkg/runtime.RawExtension":
		return "raw"
	case "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":
		return "fields"
	case "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":
		return "json"
	}
	named, container := "", ""
	if t.PkgPath() != "" {
		named, container = "="+t.String(), t.String()+":"
	}
	switch t.Kind() {
	case reflect.Struct:
		if strings.HasPrefix(t.Name(), "JSONSchemaPropsOr") {
			return "props-or=" + t.Name()
		}
		g.want(t)
		return alias(t) + "." + t.Name()
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes" + named
		}
		return container + "[]" + g.typeName(t.Elem())
	case reflect.Map:
		return container + "map[" + t.Key().String() + "]" + g.typeName(t.Elem())
	}
	return t.Kind().String() + named
}

// Adds the flag "k" to the fields that some list uses to tell its items apart: only there does a
// default such as "" matter.
func (g *generator) markKeys(typeName, rows string) string {
	lines := strings.Split(rows, "\n")
	for i, line := range lines {
		words := strings.Split(line, " ")
		if len(words) > 2 && g.keys[typeName+" "+words[0]] {
			words[2] = strings.TrimSuffix("k"+words[2], "-")
			lines[i] = strings.Join(words, " ")
		}
	}
	return strings.Join(lines, "\n")
}

func (g *generator) write(dir string) {
	for name, types := range g.rows {
		file := filepath.Join(dir, strings.ReplaceAll(name, ".", "_")+".inc")
		var names []string
		for typeName := range types {
			names = append(names, typeName)
		}
		sort.Strings(names)
		var text strings.Builder
		fmt.Fprintf(&text, "// SPDX-License-Identifier: Apache-2.0\n//\n// Types of %s. Made by tools/kinds", name)
		text.WriteString(" (see its main.go); do not edit. Rows: name type flags+number attributes.\n")
		for _, typeName := range names {
			rows := g.markKeys(name+"."+typeName, types[typeName])
			fmt.Fprintf(&text, "{\"%s\", R\"(%s)\"},\n", typeName, rows)
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
