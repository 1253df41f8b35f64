/**
 * The bill of materials of a root file system: {@link io.numaledger.images.sbom.SbomCommand} takes the program's dependencies as
 * Maven lists them, keeps those whose jar is there, and adds the Java runtime and the C libraries. {@link
 * io.numaledger.images.sbom.DependenciesCommand} lists the versions in such bills, and refuses those with a known advisory.
 */
@NullMarked
package io.numaledger.images.sbom;

import org.jspecify.annotations.NullMarked;
