/**
 * Client of the API server for the few objects that the agent uses: the pods of its node, its Node, and its
 * NodeResourceTopology. Reads the JSON as a stream and keeps only the fields that the agent needs. Watches, retries and
 * rate limits are decided here.
 */
@NullMarked
package io.numaledger.agent.api;

import org.jspecify.annotations.NullMarked;
