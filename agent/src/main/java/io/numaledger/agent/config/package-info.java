/**
 * The flags that several commands of the agent share, and the configuration of the kubelet as flags or as a file. Texts
 * of flags and files come in; checked settings go out.
 */
@NullMarked
package io.numaledger.agent.config;

import org.jspecify.annotations.NullMarked;
