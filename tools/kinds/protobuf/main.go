// SPDX-License-Identifier: Apache-2.0
//
// Writes objects of every built-in type, filled at random, as protobuf and as the JSON that Kubernetes
// prints for them. They are the test data of kube/protobuf; run at development time only:
//
//	go run ./protobuf -seed 1 > ../../tests/testdata/kinds/protobuf.jsonl
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"reflect"
	"strings"
	"time"

	"fixpoint/tools/kinds/roots"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"
)

type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

type row struct {
	Type     string          `json:"type"`
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
}

// Values that have a form of their own in JSON, and must be valid to be printed.
func special() []any {
	raw := func(c randfill.Continue) []byte {
		return []byte(fmt.Sprintf(`{"a":%d,"b":[null,true,"%c"]}`, c.Int31(), 'a'+rune(c.Intn(26))))
	}
	return []any{
		func(t *meta.Time, c randfill.Continue) { t.Time = time.Unix(c.Int63n(1<<37)-1<<35, 0).UTC() },
		func(t *meta.MicroTime, c randfill.Continue) {
			t.Time = time.Unix(c.Int63n(1<<33), c.Int63n(1e9)).UTC()
		},
		func(d *meta.Duration, c randfill.Continue) { d.Duration = time.Duration(c.Int63() - 1<<62) },
		func(q *resource.Quantity, c randfill.Continue) {
			suffixes := []string{"", "m", "k", "Mi", "G"}
			*q = resource.MustParse(fmt.Sprintf("%d%s", c.Intn(5000), suffixes[c.Intn(len(suffixes))]))
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			if *v = intstr.FromInt32(c.Int31() - 1<<30); c.Bool() {
				*v = intstr.FromString(fmt.Sprintf("%d%%", c.Intn(100)))
			}
		},
		func(r *runtime.RawExtension, c randfill.Continue) { r.Raw = raw(c) },
		func(f *meta.FieldsV1, c randfill.Continue) { f.Raw = raw(c) },
		func(j *apiextensions.JSON, c randfill.Continue) { j.Raw = raw(c) },
		func(e *meta.WatchEvent, c randfill.Continue) { e.Type = "ADDED"; e.Object.Raw = raw(c) },
		func(p *apiextensions.JSONSchemaPropsOrBool, c randfill.Continue) {
			if p.Allows = c.Bool(); c.Bool() {
				p.Schema, p.Allows = &apiextensions.JSONSchemaProps{Type: "string"}, true
			}
		},
		func(p *apiextensions.JSONSchemaPropsOrArray, c randfill.Continue) {
			p.JSONSchemas = []apiextensions.JSONSchemaProps{{Format: "x"}, {Required: []string{"a"}}}
			if c.Bool() {
				p.Schema, p.JSONSchemas = &apiextensions.JSONSchemaProps{ID: "i"}, nil
			}
		},
		func(p *apiextensions.JSONSchemaPropsOrStringArray, c randfill.Continue) {
			if p.Property = []string{"a", "b"}; c.Bool() {
				p.Schema, p.Property = &apiextensions.JSONSchemaProps{Title: "t"}, nil
			}
		},
		func(t *meta.TypeMeta, c randfill.Continue) {}, // only the envelope has one
		func(f *float64, c randfill.Continue) { *f = float64(c.Intn(1000)) / 8 },
		func(b *[]byte, c randfill.Continue) { *b = []byte(fmt.Sprint(c.Int31())) },
		func(s *string, c randfill.Continue) { *s = fmt.Sprintf("%c%d", 'à'+rune(c.Intn(20)), c.Intn(100)) },
	}
}

func main() {
	seed := flag.Int64("seed", 1, "seed of the random objects")
	nilChance := flag.Float64("nil", 0.3, "chance that a pointer, list or map is left out")
	flag.Parse()

	filler := randfill.NewWithSeed(*seed).NilChance(*nilChance).NumElements(1, 2).MaxDepth(12).Funcs(special()...)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for _, root := range roots.All() {
		t := reflect.TypeOf(root)
		if items, ok := t.FieldByName("Items"); ok {
			t = items.Type.Elem()
		}
		filled := reflect.New(t).Interface()
		filler.Fill(filled)
		if err := out.Encode(describe(t, filled.(message))); err != nil {
			log.Fatal(err)
		}
	}
}

// The JSON is that of the object read back: what protobuf does not carry is not asked for.
func describe(t reflect.Type, object message) row {
	encoded, err := object.Marshal()
	if err != nil {
		log.Fatalf("%s: %v", t, err)
	}
	decoded := reflect.New(t).Interface().(message)
	if err := decoded.Unmarshal(encoded); err != nil {
		log.Fatalf("%s: %v", t, err)
	}
	var text bytes.Buffer
	printer := json.NewEncoder(&text)
	printer.SetEscapeHTML(false)
	if err := printer.Encode(decoded); err != nil {
		log.Fatalf("%s: %v", t, err)
	}
	parts := strings.Split(t.PkgPath(), "/")
	name := parts[len(parts)-2] + "." + parts[len(parts)-1] + "." + t.Name()
	return row{Type: name, Protobuf: encoded, JSON: bytes.TrimSpace(text.Bytes())}
}
