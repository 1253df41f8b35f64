/** Tests of the kubelet model against real kubelets of every policy and scope. */
package io.numaledger.e2e.model;
