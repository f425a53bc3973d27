// SPDX-License-Identifier: Apache-2.0
//
// Writes src/kinds/tables/internal_*.inc: the shape of the types that a kube-apiserver works with
// inside, as far as its messages show them. They have Go's own names, and another order than the
// published ones.
//
// Only names and types are read, from the sources in the module cache. Run at development time, the
// output is checked in:
//
//	go run ./internal -cache $(go env GOMODCACHE)/k8s.io -out ../../src/kinds/tables
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
)

// Shown whole by some message.
var groups = map[string][]string{
	"core": {
		"PodTemplateSpec", "PersistentVolumeClaimSpec", "PersistentVolumeSource", "PersistentVolumeSpec", "ScopeSelector", "VolumeNodeAffinity",
	},
	"batch":       {"PodFailurePolicy", "SuccessPolicy", "UncountedTerminatedPods"},
	"flowcontrol": {"FlowSchemaSpec", "PriorityLevelConfigurationSpec"},
	"resource":    {"ResourceClaimTemplateSpec", "AllocationResult"},
}

// Published in the pod's spec, inside in its security context.
var moved = map[string]string{
	"PodSecurityContext.HostNetwork":           "hostNetwork",
	"PodSecurityContext.HostPID":               "hostPID",
	"PodSecurityContext.HostIPC":               "hostIPC",
	"PodSecurityContext.ShareProcessNamespace": "shareProcessNamespace",
	"PodSecurityContext.HostUsers":             "hostUsers",
}

type field struct {
	name, goType, json string
	embedded           bool
}

type source struct {
	structs map[string][]field
	others  map[string]string // name -> underlying type
}

func read(path string) source {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, 0)
	if err != nil {
		log.Fatal(err)
	}
	text := func(node ast.Node) string {
		var out strings.Builder
		if err := printer.Fprint(&out, files, node); err != nil {
			log.Fatal(err)
		}
		return out.String()
	}
	found := source{map[string][]field{}, map[string]string{}}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		shape, ok := spec.Type.(*ast.StructType)
		if !ok {
			found.others[spec.Name.Name] = text(spec.Type)
			return false
		}
		fields := []field{}
		for _, each := range shape.Fields.List {
			one := field{goType: text(each.Type), embedded: len(each.Names) == 0}
			if each.Tag != nil {
				tag := reflect.StructTag(strings.Trim(each.Tag.Value, "`")).Get("json")
				one.json = strings.Split(tag, ",")[0]
			}
			if one.embedded {
				fields = append(fields, one)
			}
			for _, name := range each.Names {
				one.name = name.Name
				fields = append(fields, one)
			}
		}
		found.structs[spec.Name.Name] = fields
		return false
	})
	return found
}

// The published name of every field, those of embedded types included.
func published(api source, name string, names map[string]string) {
	for _, each := range api.structs[name] {
		if each.embedded {
			published(api, each.goType, names)
			continue
		}
		names[each.name] = each.json
	}
}

// "*string", "[]Volume", "map", "int", "quantity", …
func rowType(inside source, goType string) string {
	base := strings.TrimLeft(goType, "*[]")
	prefix := goType[:len(goType)-len(base)]
	if _, ok := inside.structs[base]; ok {
		return prefix + base
	}
	if under, ok := inside.others[base]; ok {
		base = under
	}
	switch {
	case strings.HasPrefix(base, "map["):
		base = "map"
	case base == "int32" || base == "int64":
		base = "int"
	case base == "types.UID" || base == "api.PodConditionType" || base == "api.ConditionStatus":
		base = "string"
	case base == "resource.Quantity":
		base = "quantity"
	case base == "intstr.IntOrString":
		base = "either"
	case strings.HasPrefix(base, "core."):
		base = strings.TrimPrefix(base, "core.")
	case strings.HasPrefix(base, "metav1."):
		base = strings.TrimPrefix(base, "metav1.")
	}
	return prefix + base
}

func main() {
	cache := flag.String("cache", "", "the module cache's k8s.io directory")
	out := flag.String("out", "", "directory to write the table to")
	flag.Parse()
	for group, roots := range groups {
		write(*cache, *out, group, roots)
	}
}

func write(cache, out, group string, roots []string) {
	inside := read(filepath.Join(cache, "kubernetes@v1.34.4/pkg/apis", group, "types.go"))
	api := read(filepath.Join(cache, "api@v0.34.4", group, "v1/types.go"))

	rows := map[string]string{}
	queue := append([]string{}, roots...)
	for len(queue) > 0 {
		name := queue[0]
		queue = queue[1:]
		if _, done := rows[name]; done {
			continue
		}
		names := map[string]string{}
		published(api, name, names)
		var text strings.Builder
		for _, each := range inside.structs[name] {
			base := strings.TrimLeft(each.goType, "*[]")
			if _, ok := inside.structs[base]; ok {
				queue = append(queue, base)
			}
			if each.embedded {
				fmt.Fprintf(&text, "+ %s\n", rowType(inside, each.goType))
				continue
			}
			json, ok := names[each.name]
			if !ok {
				json, ok = moved[name+"."+each.name]
			}
			if !ok {
				log.Fatalf("%s.%s is not published", name, each.name)
			}
			fmt.Fprintf(&text, "%s %s %s\n", each.name, json, rowType(inside, each.goType))
		}
		rows[name] = text.String()
	}

	names := []string{}
	for name := range rows {
		names = append(names, name)
	}
	sort.Strings(names)
	var text strings.Builder
	text.WriteString("// SPDX-License-Identifier: Apache-2.0\n//\n// Types of " + group + " as a server has " +
		"them inside. Made by tools/kinds/internal; do not edit. Rows: name\n// published-name type, " +
		"or + and an embedded type.\n")
	for _, name := range names {
		fmt.Fprintf(&text, "{\"%s\", R\"(%s)\"},\n", name, rows[name])
	}
	if err := os.WriteFile(filepath.Join(out, "internal_"+group+".inc"), []byte(text.String()), 0o644); err != nil {
		log.Fatal(err)
	}
}
