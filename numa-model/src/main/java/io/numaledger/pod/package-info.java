/** What a pod asks for. */
package io.numaledger.pod;
