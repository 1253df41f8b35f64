/** Text tables for the output of commands. Rows of text come in; aligned lines go out. */
package io.numaledger.agent.table;
