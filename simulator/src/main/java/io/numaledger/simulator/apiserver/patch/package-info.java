/** The three patch formats that change an object without field ownership: JSON merge, JSON, strategic merge. */
package io.numaledger.simulator.apiserver.patch;
