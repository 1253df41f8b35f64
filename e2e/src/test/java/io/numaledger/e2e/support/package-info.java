/** What the tests of several packages share: the Kubernetes binaries, pods with their verdicts, and agents. */
package io.numaledger.e2e.support;
