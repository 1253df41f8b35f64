/**
 * Tests of the agent on real kubelets and a real API server: what it publishes equals the kubelets' state files, whatever the API
 * server does.
 */
package io.numaledger.e2e.agent;
