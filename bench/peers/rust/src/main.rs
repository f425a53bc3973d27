// SPDX-License-Identifier: Apache-2.0

//! The peer on kube-rs, written as its guide recommends: a Controller with a derived type, the owned
//! ConfigMap and the status by server-side apply. It says on standard output when it has reconciled
//! everything; ../run measures it from outside.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::{StreamExt, channel::mpsc};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, CustomResource, Resource, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams},
    runtime::{Controller, controller::{Action, Config}, watcher},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "bench.fixpoint.dev", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
struct WidgetSpec {
    #[serde(default)]
    text: String,
    #[serde(default)]
    size: i64,
    #[serde(default)]
    entries: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WidgetStatus {
    observed_generation: Option<i64>,
    phase: Option<String>,
    note: Option<String>,
}

#[derive(Clone)]
struct Options {
    converge: bool,
    expect: usize,
    rounds: usize,
    workers: u16,
}

fn options() -> anyhow::Result<Options> {
    let mut options = Options { converge: false, expect: 1, rounds: 0, workers: 16 };
    for argument in std::env::args().skip(1) {
        let (name, value) = argument.trim_start_matches('-').split_once('=').unwrap_or((argument.trim_start_matches('-'), "true"));
        match name {
            "converge" => options.converge = value.parse()?,
            "expect" => options.expect = value.parse()?,
            "rounds" => options.rounds = value.parse()?,
            "workers" => options.workers = value.parse()?,
            other => anyhow::bail!("unknown option {other}"),
        }
    }
    Ok(options)
}

#[derive(Default)]
struct Progress {
    seen: HashSet<String>,
    again: usize,
}

struct Context {
    client: Client,
    options: Options,
    progress: Mutex<Progress>,
    next_round: mpsc::UnboundedSender<()>,
}

impl Context {
    /// Says when every Widget was reconciled once, and when all later rounds are done.
    fn done(&self, name: String) {
        let mut progress = self.progress.lock().unwrap();
        let expect = self.options.expect;
        if progress.seen.len() < expect {
            progress.seen.insert(name);
            if progress.seen.len() == expect {
                println!("SYNCED");
                if self.options.rounds > 0 {
                    let _ = self.next_round.unbounded_send(());
                }
            }
            return;
        }
        progress.again += 1;
        if self.options.rounds > 0 && progress.again % expect == 0 {
            if progress.again == expect * self.options.rounds {
                println!("LOOPED");
            } else {
                let _ = self.next_round.unbounded_send(());
            }
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Kube(#[from] kube::Error),
}

async fn reconcile(widget: Arc<Widget>, context: Arc<Context>) -> Result<Action, Error> {
    if context.options.converge {
        converge(&widget, &context.client).await?;
    }
    context.done(widget.name_any());
    Ok(Action::await_change())
}

async fn converge(widget: &Widget, client: &Client) -> Result<(), Error> {
    let namespace = widget.namespace().unwrap_or_default();
    let name = widget.name_any();
    let child = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            owner_references: Some(vec![widget.controller_owner_ref(&()).expect("a stored object has a uid")]),
            ..ObjectMeta::default()
        },
        data: Some([("text".to_string(), widget.spec.text.clone())].into()),
        ..ConfigMap::default()
    };
    let apply = PatchParams::apply("peer-rust").force();
    Api::<ConfigMap>::namespaced(client.clone(), &namespace).patch(&name, &apply, &Patch::Apply(&child)).await?;

    let status = widget.status.clone().unwrap_or_default();
    if status.phase.as_deref() == Some("Ready") && status.observed_generation == widget.meta().generation {
        return Ok(());
    }
    let wanted = json!({
        "apiVersion": Widget::api_version(&()),
        "kind": Widget::kind(&()),
        "status": {"phase": "Ready", "observedGeneration": widget.meta().generation},
    });
    Api::<Widget>::namespaced(client.clone(), &namespace)
        .patch_status(&name, &apply, &Patch::Apply(&wanted))
        .await?;
    Ok(())
}

fn on_error(_: Arc<Widget>, _: &Error, _: Arc<Context>) -> Action {
    Action::requeue(Duration::from_secs(1))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let options = options()?;
    let client = Client::try_default().await?;
    let (next_round, rounds) = mpsc::unbounded();
    let context = Arc::new(Context {
        client: client.clone(),
        options: options.clone(),
        progress: Mutex::default(),
        next_round,
    });
    let mut controller = Controller::new(Api::<Widget>::all(client.clone()), watcher::Config::default())
        .with_config(Config::default().concurrency(options.workers));
    if options.converge {
        controller = controller.owns(Api::<ConfigMap>::all(client), watcher::Config::default());
    }
    if options.rounds > 0 {
        controller = controller.reconcile_all_on(rounds);
    }
    controller.run(reconcile, on_error, context).for_each(|_| std::future::ready(())).await;
    Ok(())
}
