/** Tests of an installation: the chart and the images as the documentation tells users to install them. */
package io.numaledger.e2e.install;
