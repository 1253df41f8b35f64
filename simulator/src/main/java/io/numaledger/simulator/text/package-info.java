/** What is wrong with YAML and JSON that people write. */
@NullMarked
package io.numaledger.simulator.text;

import org.jspecify.annotations.NullMarked;
