// SPDX-License-Identifier: Apache-2.0
//
// Answers, for each input object, what Kubernetes' own decoder makes of it: the object after a round
// trip through storage, the fields it did not know, or the error. The answers are the test data of
// kube/typed; run at development time only:
//
//	go run ./decode < ../../tests/testdata/typed/inputs.jsonl > ../../tests/testdata/typed/rows.jsonl
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"strings"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	events "k8s.io/api/events/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	storage "k8s.io/api/storage/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

type row struct {
	Input   json.RawMessage `json:"input"`
	Output  json.RawMessage `json:"output,omitempty"`
	Unknown []string        `json:"unknown,omitempty"`
	Error   string          `json:"error,omitempty"`
}

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		core.AddToScheme, apps.AddToScheme, batch.AddToScheme, policy.AddToScheme, autoscaling.AddToScheme,
		networking.AddToScheme, storage.AddToScheme, coordination.AddToScheme, rbac.AddToScheme,
		events.AddToScheme, admissionregistration.AddToScheme, apiextensions.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			log.Fatal(err)
		}
	}
	strict := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme,
		serializer.SerializerOptions{Strict: true})
	storage := protobuf.NewSerializer(scheme, scheme)

	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		if err := out.Encode(answer(in.Bytes(), strict, storage)); err != nil {
			log.Fatal(err)
		}
	}
}

func answer(input []byte, strict *serializer.Serializer, storage *protobuf.Serializer) row {
	r := row{Input: append(json.RawMessage{}, input...)}
	object, _, err := strict.Decode(input, nil, nil)
	if runtime.IsStrictDecodingError(err) {
		strictErr, _ := runtime.AsStrictDecodingError(err)
		for _, one := range strictErr.Errors() {
			field := strings.TrimPrefix(one.Error(), "unknown field ")
			r.Unknown = append(r.Unknown, strings.Trim(field, "\""))
		}
		err = nil
	}
	if err != nil {
		r.Error = err.Error()
		return r
	}
	var stored strings.Builder
	if err := storage.Encode(object, &stored); err != nil {
		log.Fatalf("%s: %v", input, err)
	}
	object, _, err = storage.Decode([]byte(stored.String()), nil, nil)
	if err != nil {
		log.Fatalf("%s: %v", input, err)
	}
	var printed strings.Builder
	if err := strict.Encode(object, &printed); err != nil {
		r.Error = err.Error()
		return r
	}
	r.Output = json.RawMessage(strings.TrimSpace(printed.String()))
	return r
}
