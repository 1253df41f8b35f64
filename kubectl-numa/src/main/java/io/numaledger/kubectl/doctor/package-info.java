/** What is wrong with an installation. Objects come in; findings go out, each with what to do. */
@NullMarked
package io.numaledger.kubectl.doctor;

import org.jspecify.annotations.NullMarked;
