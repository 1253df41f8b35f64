/** What the kubelet would answer to a pod, and why. */
package io.numaledger.kubelet.admission;
