/** What becomes of the pods of manifests when they are created: as the API server says in a dry run, or as they are written. */
@NullMarked
package io.numaledger.bridge.plugin.manifest;

import org.jspecify.annotations.NullMarked;
