/**
 * Responses for the paths that name no object: API groups and resources, OpenAPI documents, version and health.
 */
package io.numaledger.fakeapiserver.discovery;
