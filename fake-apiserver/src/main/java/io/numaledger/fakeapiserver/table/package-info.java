/**
 * The server-side tables that {@code kubectl get} prints. An object comes in; the cells of its row go out. The columns are the main
 * ones of kube-apiserver (pkg/printers/internalversion), and the additional printer columns of custom resources.
 */
@NullMarked
package io.numaledger.fakeapiserver.table;

import org.jspecify.annotations.NullMarked;
