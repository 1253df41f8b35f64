/**
 * Responses for the paths that name no object: API groups and resources, version and health.
 */
@NullMarked
package io.numaledger.apiservers.fake.discovery;

import org.jspecify.annotations.NullMarked;
