/**
 * The bill of materials of a root file system: {@link io.numaledger.images.sbom.SbomCommand} takes the program's dependencies as
 * Maven lists them, keeps those whose jar is there, and adds the Java runtime and the C libraries.
 */
@NullMarked
package io.numaledger.images.sbom;

import org.jspecify.annotations.NullMarked;
