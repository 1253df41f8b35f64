/** Every node as its kubelet has it, and tentative changes of that which can be taken back exactly. */
package io.numaledger.ledger;
