// SPDX-License-Identifier: Apache-2.0

// The peer on controller-runtime, written as its book recommends: a typed client, a cached read, an
// owned ConfigMap by CreateOrUpdate, the status by a patch. It says on standard output when it has
// reconciled everything; ../run measures it from outside.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

var (
	converge = flag.Bool("converge", false, "keep one ConfigMap and one status per Widget")
	expect   = flag.Int("expect", 1, "how many Widgets there are")
	rounds   = flag.Int("rounds", 0, "reconcile all of them so many times more")
	workers  = flag.Int("workers", 16, "reconciles at once")
	lease    = flag.String("lease", "", "the lease to hold, if any")
)

// progress says when every Widget was reconciled once, and when all later rounds are done.
type progress struct {
	mutex sync.Mutex
	seen  map[client.ObjectKey]bool
	again int
	all   chan struct{}
}

func (p *progress) done(key client.ObjectKey) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.seen) < *expect {
		p.seen[key] = true
		if len(p.seen) == *expect {
			fmt.Println("SYNCED")
			close(p.all)
		}
		return
	}
	p.again++
	if *rounds > 0 && p.again == *expect**rounds {
		fmt.Println("LOOPED")
	}
}

type reconciler struct {
	client.Client
	progress *progress
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var widget Widget
	if err := r.Get(ctx, request.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if *converge {
		if err := r.converge(ctx, &widget); err != nil {
			return ctrl.Result{}, err
		}
	}
	r.progress.done(request.NamespacedName)
	return ctrl.Result{}, nil
}

func (r *reconciler) converge(ctx context.Context, widget *Widget) error {
	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: widget.Name, Namespace: widget.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, child, func() error {
		child.Data = map[string]string{"text": widget.Spec.Text}
		return controllerutil.SetControllerReference(widget, child, r.Scheme())
	})
	if err != nil {
		return err
	}
	if widget.Status.Phase == "Ready" && widget.Status.ObservedGeneration == widget.Generation {
		return nil
	}
	before := client.MergeFrom(widget.DeepCopy())
	widget.Status.Phase = "Ready"
	widget.Status.ObservedGeneration = widget.Generation
	return r.Status().Patch(ctx, widget, before)
}

func main() {
	flag.Parse()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := addToScheme(scheme); err != nil {
		return err
	}
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		// This process ends when its manager does, so it may give the lease back.
		LeaderElection:                *lease != "",
		LeaderElectionID:              *lease,
		LeaderElectionNamespace:       "bench",
		LeaderElectionReleaseOnCancel: true,
	})
	if err != nil {
		return err
	}
	progress := &progress{seen: map[client.ObjectKey]bool{}, all: make(chan struct{})}
	builder := ctrl.NewControllerManagedBy(manager).For(&Widget{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: *workers})
	if *converge {
		builder = builder.Owns(&corev1.ConfigMap{})
	}
	if *rounds > 0 {
		events := make(chan event.TypedGenericEvent[*Widget], 1024)
		builder = builder.WatchesRawSource(source.Channel(events, &handler.TypedEnqueueRequestForObject[*Widget]{}))
		go again(progress, events)
	}
	if err := builder.Complete(&reconciler{Client: manager.GetClient(), progress: progress}); err != nil {
		return err
	}
	return manager.Start(ctrl.SetupSignalHandler())
}

// again asks for every Widget once more, round by round: the queue merges what is still waiting, so a
// round begins when the last one is through.
func again(progress *progress, events chan<- event.TypedGenericEvent[*Widget]) {
	<-progress.all
	for round := 1; round <= *rounds; round++ {
		progress.mutex.Lock()
		keys := make([]client.ObjectKey, 0, len(progress.seen))
		for key := range progress.seen {
			keys = append(keys, key)
		}
		progress.mutex.Unlock()
		for _, key := range keys {
			events <- event.TypedGenericEvent[*Widget]{Object: &Widget{ObjectMeta: metav1.ObjectMeta{Name: key.Name, Namespace: key.Namespace}}}
		}
		for {
			progress.mutex.Lock()
			through := progress.again >= round**expect
			progress.mutex.Unlock()
			if through {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}
