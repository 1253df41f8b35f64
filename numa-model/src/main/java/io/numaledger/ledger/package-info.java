/** What is free on every node's zones, and tentative changes of it that can be taken back exactly. */
package io.numaledger.ledger;
