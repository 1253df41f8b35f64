/** Label and field selectors of list, watch and deletecollection. */
package io.numaledger.simulator.apiserver.selection;
