// SPDX-License-Identifier: Apache-2.0
//
// What a server advises against in volumes: plugins that are gone, files that get into each other's
// way.
#pragma once

#include "kinds/validation/warnings.h"
#include "kube/errors/field_error.h"

namespace fixpoint::kinds {

// Volume plugins that are gone, in the order of a pod's volumes and in that of a PersistentVolume.
void warn_of_old_volume(json::View volume, const kube::FieldPath& path, Warnings& warnings);
void warn_of_old_sources(json::View volume_spec, const kube::FieldPath& path, Warnings& warnings);
// Files of one volume whose paths overlap.
void warn_of_files(json::View volume, Warnings& warnings);

}  // namespace fixpoint::kinds
