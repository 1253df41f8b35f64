/**
 * The formats in which a NodeResourceTopology is published: Numaledger's own, and those of resource-topology-exporter
 * and nfd-topology-updater. The facts about a node come in; zones and attributes in one of these formats go out.
 */
@NullMarked
package io.numaledger.nrt.profile;

import org.jspecify.annotations.NullMarked;
