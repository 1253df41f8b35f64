/**
 * Responses for the paths that name no object: API groups and resources, version and health.
 */
@NullMarked
package io.numaledger.fakeapiserver.discovery;

import org.jspecify.annotations.NullMarked;
