/**
 * Packs a root file system into an image: {@link io.numaledger.images.oci.PackCommand} reads the root file system and the
 * program's {@code config.json}, and writes one tar file in the OCI image layout that {@code docker load} reads as well.
 * Except for the class archive, equal files give equal layers.
 */
@NullMarked
package io.numaledger.images.oci;

import org.jspecify.annotations.NullMarked;
