/** Server-side apply: which manager owns which field, and what an apply or an update makes of it. */
package io.numaledger.simulator.apiserver.fields;
