/** gRPC over unix sockets, as the kubelet and what stands around it speak it. */
package io.numaledger.simulator.socket;
